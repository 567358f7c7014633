#include "experiment/cells/cells.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"

#include "experiment/document/read.h"

namespace sumac::experiment::cells_test {
namespace {

const std::string kBase =
    "apiVersion: sumac.dev/v1alpha1\n"
    "kind: TrainingJob\n"
    "metadata: {name: base}\n"
    "spec:\n"
    "  model: {name: lenet5}\n"
    "  data: {name: fashion-mnist-mini}\n"
    "  training:\n"
    "    batchSize: 64\n"
    "    epochs: 3\n"
    "    optimizer: {name: sgd, learningRate: \"0.05\"}\n"
    "  checkpoint: {path: /checkpoints, everySteps: 5}\n";

/// kBase with bounds for its number of workers.
const std::string kElastic =
    kBase + "  worker: {minReplicas: 1, maxReplicas: 4}\n  server: {replicas: 1}\n";

/// Makes the cells of an experiment on kBase with these lines in its spec.
Cells make(const std::string& spec, const std::string& base = kBase,
           const job::Overrides& overrides = {}, bool is_for_cluster = false) {
  const auto reading = readExperiment(
      "apiVersion: sumac.dev/v1alpha1\nkind: Experiment\nmetadata: {name: study}\nspec:\n"
      "  jobPath: job.yaml\n" +
          spec,
      "study.yaml", [&base](const std::string& path) {
        return Result<NamedFile>(NamedFile{path, base});
      });
  BOOST_REQUIRE_MESSAGE(reading.experiment.has_value(), job::problemList(reading.problems));
  return makeCells(*reading.experiment, overrides, is_for_cluster);
}

/// kBase with samples that are held back.
std::string validatedBase() {
  std::string base = kBase;
  const std::string data = "name: fashion-mnist-mini";
  return base.replace(base.find(data), data.size(), data + ", validation: \"0.1\"");
}

std::string withSeed(const std::string& seed) {
  std::string base = validatedBase();
  const std::string epochs = "    epochs: 3\n";
  return base.insert(base.find(epochs), "    seed: " + seed + "\n");
}

/// A base job that learns generated text.
const std::string kTextBase =
    "apiVersion: sumac.dev/v1alpha1\n"
    "kind: TrainingJob\n"
    "metadata: {name: base}\n"
    "spec:\n"
    "  model: {name: ptb-lstm-small}\n"
    "  data: {format: generated,\n"
    "         generated: {trainTokens: 5000, testTokens: 500, vocabulary: 50}}\n"
    "  training: {batchSize: 5, steps: 3, optimizer: {name: sgd, learningRate: \"1\"}}\n";

const std::string kByAccuracy = "  measure: {metric: validationAccuracy}\n";
const std::string kByPerplexity = "  measure: {metric: validationPerplexity}\n";

const std::string kWorkers = "    - {field: worker.replicas, values: [1, 2]}\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(cells)

BOOST_AUTO_TEST_CASE(every_combination_is_a_cell_and_the_last_axis_varies_fastest) {
  const auto made = make("  axes:\n" + kWorkers +
                         "    - {field: strategy.topology, values: [centralized, "
                         "decentralized]}\n");

  BOOST_TEST(made.problems.empty());
  BOOST_REQUIRE(made.cells.size() == 4);
  BOOST_TEST(made.cells[1].number == 2);
  BOOST_TEST(made.cells[1].values == (std::vector<std::string>{"1", "decentralized"}),
             boost::test_tools::per_element());
  BOOST_TEST(made.cells[2].job.worker.replicas == 2);
  BOOST_TEST((made.cells[3].job.strategy.method == ExchangeMethod::kDecentralized));
}

BOOST_AUTO_TEST_CASE(jobs_whose_size_changes_keep_their_checkpoint_in_a_cluster) {
  const std::string script = "  scale: [{at: 0s, workers: 1}, {at: 1s, workers: 2}]\n";
  for (const bool is_for_cluster : {false, true}) {
    const auto made = make(script, kBase, {}, is_for_cluster);
    BOOST_TEST_REQUIRE(made.cells.size() == 1U);
    const bool is_kept = made.cells[0].document.text().find("/checkpoints") != std::string::npos;
    BOOST_TEST(is_kept == is_for_cluster);
  }
}

BOOST_AUTO_TEST_CASE(jobs_with_networks_of_their_own_are_told_apart) {
  const auto networkWith = [](const std::string& outputs) {
    std::string base = kBase;
    const std::string zoo = "{name: lenet5}";
    base.replace(
        base.find(zoo), zoo.size(),
        "{input: [1, 28, 28], layers: [{type: flatten}, {type: dense, outputs: " + outputs +
            "}, {type: relu}, {type: dense, outputs: 10}, {type: softmaxCrossEntropy}]}");
    const auto made = make("", base);
    BOOST_TEST_REQUIRE(made.problems == std::vector<std::string>{},
                       boost::test_tools::per_element());
    return made.cells[0];
  };
  const Cell small = networkWith("20");
  BOOST_TEST(small.job.model.name == networkWith("30").job.model.name);  // none
  BOOST_TEST(small.network != networkWith("30").network);
  BOOST_TEST(small.network == networkWith("20").network);
}

BOOST_AUTO_TEST_CASE(without_axes_the_job_is_the_only_cell) {
  const auto made = make("");
  BOOST_REQUIRE(made.cells.size() == 1);
  BOOST_TEST(combinationText({}, made.cells[0].values) == "the job");
}

BOOST_AUTO_TEST_CASE(nothing_but_steps_takes_time) {
  const auto made = make("  steps: 30\n  warmupSteps: 7\n");
  BOOST_REQUIRE(made.cells.size() == 1);
  const job::TrainingJob& job = made.cells[0].job;
  BOOST_TEST(job.training.steps.value() == 38);
  BOOST_TEST(!job.training.epochs.has_value());
  BOOST_TEST(job.checkpoint.path.empty());
  BOOST_TEST(job.training.evaluation_every_epochs > 1'000);
}

BOOST_AUTO_TEST_CASE(the_mini_batch_grows_with_the_workers) {
  const auto made = make("  axes:\n" + kWorkers + "  batchSizePerWorker: 50\n");
  BOOST_REQUIRE(made.cells.size() == 2);
  BOOST_TEST(made.cells[0].job.training.batch_size == 50);
  BOOST_TEST(made.cells[1].job.training.batch_size == 100);
}

BOOST_AUTO_TEST_CASE(an_axis_gives_each_cell_its_conditions) {
  const auto made = make(
      "  axes:\n"
      "    - {field: link.rate, values: [100Mbit, null]}\n"
      "    - {field: compute, values: [real, emulated]}\n"
      "  link: {rate: 1Gbit}\n");
  BOOST_REQUIRE(made.cells.size() == 4);
  BOOST_TEST(made.cells[0].conditions.link_bits_per_second.value() == 100'000'000);
  BOOST_TEST(!made.cells[0].conditions.is_emulated);
  BOOST_TEST(made.cells[1].conditions.is_emulated);
  BOOST_TEST(!made.cells[2].conditions.link_bits_per_second.has_value());
  BOOST_TEST((made.cells[0].resolved == made.cells[3].resolved));  // no field of the job
}

BOOST_AUTO_TEST_CASE(networks_of_one_study_may_have_batches_of_their_own) {
  const auto made = make("  axes:\n" + kWorkers +
                         "    - name: batch\n"
                         "      variants:\n"
                         "        - {name: large, set: {batchSizePerWorker: 50}}\n"
                         "        - {name: small, set: {batchSizePerWorker: 20}}\n"
                         "        - {name: base, set: {batchSizePerWorker: null}}\n"
                         "  batchSizePerWorker: 7\n");
  BOOST_REQUIRE(made.cells.size() == 6);
  BOOST_TEST(made.cells[3].job.training.batch_size == 100);
  BOOST_TEST(made.cells[4].job.training.batch_size == 40);
  BOOST_TEST(made.cells[5].job.training.batch_size == 64);
}

BOOST_AUTO_TEST_CASE(the_command_line_changes_the_base_job) {
  job::Overrides overrides;
  overrides.sets = {"training.seed=9"};
  const auto made = make("", kBase, overrides);
  BOOST_REQUIRE(made.cells.size() == 1);
  BOOST_TEST(made.cells[0].job.training.seed == 9U);
}

BOOST_AUTO_TEST_CASE(a_mistake_of_the_command_line_is_not_blamed_on_the_job) {
  const auto problemOf = [](const std::string& set) {
    job::Overrides overrides;
    overrides.sets = {set};
    const auto made = make("", kBase, overrides);
    return made.problems.empty() ? std::string() : made.problems.front();
  };
  BOOST_TEST(problemOf("training.sed=1").starts_with("--set training.sed=1: "));
  BOOST_TEST(problemOf("training.seed").starts_with("--set training.seed: must be path=value"));
  BOOST_TEST(problemOf("training.seed=-1").starts_with("--set training.seed=-1: found -1, must "));
}

BOOST_AUTO_TEST_CASE(an_option_without_effect_is_refused) {
  const auto problems = [](const std::string& spec, const std::string& set,
                           bool is_for_cluster = false) {
    job::Overrides overrides;
    overrides.sets = {set};
    return make(spec, kBase, overrides, is_for_cluster).problems;
  };
  const auto refuses = [&](const std::string& spec, const std::string& set,
                           const std::string& setter) {
    const auto made = problems(spec, set);
    return made.size() == 1 && made[0].starts_with("--set " + set + " ") &&
           made[0].find(": " + setter + " sets ") != std::string::npos;
  };
  const std::string axes = "  axes:\n" + kWorkers;
  BOOST_TEST(refuses(axes, "worker.replicas=4", "the axis worker.replicas"));
  BOOST_TEST(refuses("", "training.steps=5", "spec.steps"));
  BOOST_TEST(refuses("", "checkpoint.everySteps=9", "the experiment"));
  BOOST_TEST(
      refuses("  batchSizePerWorker: 8\n", "training.batchSize=32", "spec.batchSizePerWorker"));
  BOOST_TEST(refuses("  axes: [{field: batchSizePerWorker, values: [8, 16]}]\n",
                     "training.batchSize=32", "the axis batchSizePerWorker"));
  const std::string script = "  scale: [{at: 0s, workers: 1}, {at: 1s, workers: 2}]\n";
  BOOST_TEST(refuses(script, "worker.replicas=4", "spec.scale"));
  BOOST_TEST(problems("", "worker.replicas=4").empty());
  BOOST_TEST(problems(script, "checkpoint.everySteps=9", /*is_for_cluster=*/true).empty());
  BOOST_TEST(problems("  axes: [{field: batchSizePerWorker, values: [8, null]}]\n",
                      "training.batchSize=32")
                 .empty());
  BOOST_TEST(problems("  axes: [{name: servers, variants: [{name: a, set: {}}, {name: b, set: "
                      "{server.replicas: 3}}]}]\n",
                      "server.replicas=2")
                 .empty());
}

BOOST_AUTO_TEST_CASE(what_cannot_run_is_refused_once_where_it_stands_with_its_cells) {
  const std::tuple<const char*, std::string, const char*> kCases[] = {
      {"a job twice",
       "  axes: [{name: size, variants: [{name: a, set: {worker.replicas: 1}},"
       " {name: b, set: {worker.replicas: 1}}]}]\n",
       "study.yaml:6:72 spec.axes[0]: "},
      {"conditions that contradict each other",
       "  axes:\n    - {field: compute, values: [real, emulated]}\n  slowdown: \"10\"\n",
       "study.yaml:8:13 spec.slowdown: "},
      {"a script that only waits", "  scale: [{at: 0s, workers: 1}]\n  compute: emulated\n",
       "study.yaml:6:10 spec.scale: "},
      {"a batch and a share of it",
       "  axes:\n    - {field: batchSizePerWorker, values: [8, null]}\n"
       "    - {field: training.batchSize, values: [64]}\n",
       "study.yaml: batchSizePerWorker and training.batchSize "},
      {"a variant that cannot run",
       "  axes:\n" + kWorkers +
           "    - name: exchange\n      variants:\n"
           "        - {name: ring, set: {strategy.exchange: allReduce, strategy.algorithm: ring}}\n"
           "        - {name: wrong, set: {strategy.algorithm: ring}}\n",
       "study.yaml:11:51 spec.strategy.algorithm: "},
      {"a wrong value", "  axes:\n    - {field: worker.replicas, values: [1, 0]}\n",
       "study.yaml:7:44 spec.worker.replicas: "}};
  test::Transcript said;
  job::Overrides overrides;
  const auto refuses = [&](const char* name, const Cells& made, const char* place) {
    BOOST_TEST_REQUIRE(made.problems.size() == 1U, name);
    BOOST_TEST(made.problems[0].starts_with(place), made.problems[0]);
    said.add(name, made.problems[0]);
  };
  for (const auto& [name, spec, place] : kCases)
    refuses(name, make(spec), place);
  const std::string sizing = "  autoscaling: {hpa: {}}\n";
  refuses("an autoscaler without bounds", make(sizing), "study.yaml: autoscaling.hpa ");
  refuses("a policy without bounds", make("  autoscaling: {policy: throughput}\n"),
          "study.yaml:6:16 spec.autoscaling: ");
  refuses("a batch of each of how many workers",
          make(sizing + "  batchSizePerWorker: 8\n", kElastic),
          "study.yaml:7:23 spec.batchSizePerWorker: ");
  refuses("a real worker that becomes slow",
          make("  events: [{at: 1s, slow: {worker: 1, factor: 2}}]\n", kElastic),
          "study.yaml:6:36 spec.events[0].slow: ");
  refuses("a worker that nobody has", make("  events: [{at: 1s, kill: worker 4}]\n", kElastic),
          "study.yaml:6:27 spec.events[0]: ");
  overrides.sets = {"autoscaling.policy=cost"};
  refuses("an option that sizing takes the effect of", make(sizing, kElastic, overrides),
          "--set autoscaling.policy=cost ");
  overrides.sets.clear();
  refuses("a mistake of the base job", make("  axes:\n" + kWorkers, kBase + "  modl: 1\n"),
          "job.yaml:12:3 spec.modl: ");
  overrides.sets = {"link.rate=10Mbit"};
  refuses("an option link.rate", make("", kBase, overrides),
          "--set link.rate=10Mbit: spec.link.rate ");
  overrides.sets = {"seed=3"};
  refuses("an option seed", make("", kBase, overrides), "--set seed=3: spec.seed ");
  test::checkGolden("experiment/cells/problems.txt", said.text());
}

BOOST_AUTO_TEST_CASE(repetitions_that_learn_have_seeds_of_their_own) {
  job::Overrides overrides;
  overrides.sets = {"training.seed=9"};
  const auto fast = make("", validatedBase(), overrides);
  BOOST_REQUIRE(fast.cells.size() == 1);
  BOOST_TEST(seedOf(fast.cells[0], 1) == 9U);
  BOOST_TEST(seedOf(fast.cells[0], 3) == 9U);
  const auto good = make(kByAccuracy, validatedBase(), overrides);
  BOOST_REQUIRE(good.cells.size() == 1);
  BOOST_TEST(seedOf(good.cells[0], 1) == 9U);
  BOOST_TEST(seedOf(good.cells[0], 3) == 11U);
  BOOST_TEST(make(kByPerplexity, kTextBase).problems.empty());
}

BOOST_AUTO_TEST_CASE(cells_that_do_not_tell_what_is_compared_are_refused) {
  const std::string at_metric = "study.yaml:6:21 spec.measure.metric: ";
  const std::tuple<const char*, std::string, std::string, std::string> kCases[] = {
      {"nothing held back", kByAccuracy, kBase, at_metric},
      {"emulated workers",
       kByAccuracy + "  axes:\n    - {field: compute, values: [real, emulated]}\n", validatedBase(),
       at_metric},
      {"the accuracy of text", kByAccuracy, kTextBase, at_metric},
      {"the perplexity of images", kByPerplexity, validatedBase(), at_metric},
      {"seeds as an axis", kByAccuracy + "  axes:\n    - {field: training.seed, values: [1, 2]}\n",
       validatedBase(), "study.yaml:8:39 spec.axes[0]: "},
      {"a seed that no other follows", kByAccuracy, withSeed("9223372036854775806"), at_metric}};
  test::Transcript said;
  for (const auto& [name, spec, base, place] : kCases) {
    const auto made = make(spec, base);
    BOOST_TEST_REQUIRE(!made.problems.empty(), name);
    BOOST_TEST(made.problems[0].starts_with(place), made.problems[0]);
    for (const std::string& problem : made.problems)
      said.add(name, problem);
  }
  test::checkGolden("experiment/cells/learning.txt", said.text());
}

BOOST_AUTO_TEST_CASE(what_a_script_asks_for_in_vain_is_shown_where_the_script_has_it) {
  const auto made = make("  scale: [{at: 0s, workers: 2}, {at: 1s, workers: 5000}]\n  steps: 30\n");
  const auto is_shown = [](const std::string& problem) {
    return problem.starts_with("study.yaml:6:51 spec.scale[1].workers: ");
  };
  BOOST_TEST(std::ranges::any_of(made.problems, is_shown));
}

BOOST_AUTO_TEST_CASE(a_base_job_without_a_spec_is_told_what_it_lacks) {
  const auto made = make("  axes:\n" + kWorkers, "kind: TrainingJob\nspec: 3\n");
  BOOST_TEST(made.cells.empty());
  BOOST_TEST(!made.problems.empty());
}

BOOST_AUTO_TEST_CASE(sizing_makes_jobs_that_size_themselves_and_fixed_ones) {
  const auto made = make(
      "  autoscaling: {policy: throughput}\n"
      "  axes:\n"
      "    - name: sizing\n"
      "      variants:\n"
      "        - {name: own, set: {}}\n"
      "        - {name: four, set: {autoscaling: {fixed: 4}}}\n"
      "        - {name: cpu, set: {autoscaling: {hpa: {targetUtilization: 50, periodSeconds: "
      "5}}}}\n"
      "        - {name: some, set: {autoscaling: {policy: efficiency, targetEfficiency: 0.5}}}\n",
      kElastic);
  BOOST_TEST_REQUIRE(made.problems == std::vector<std::string>{}, boost::test_tools::per_element());
  BOOST_REQUIRE(made.cells.size() == 4);
  BOOST_TEST((made.cells[0].job.autoscaling->policy == job::AutoscalingPolicy::kThroughput));
  BOOST_TEST(!isSized(made.cells[1]));
  BOOST_TEST(made.cells[1].job.worker.replicas == 4);
  BOOST_TEST(!made.cells[2].job.autoscaling.has_value());
  BOOST_TEST(made.cells[2].conditions.hpa->target == 0.5);
  BOOST_TEST(made.cells[2].conditions.hpa->period_seconds == 5);
  BOOST_TEST(made.cells[2].conditions.hpa->tolerance == 0.1);
  BOOST_TEST(made.cells[3].job.autoscaling->target_efficiency == 0.5);
  BOOST_TEST((workersOf(made.cells[3]) == std::pair(1, 4)));
}

BOOST_AUTO_TEST_CASE(only_named_values_of_an_axis_are_left) {
  std::vector<Axis> axes{{"link", {{"slow", {}}, {"fast", {}}}}, {"size", {{"1", {}}, {"2", {}}}}};
  BOOST_TEST(keepOnly({}, axes).has_value());
  BOOST_TEST(countCells(axes, 9) == 4);
  BOOST_TEST(keepOnly({"link=fast", "size=1", "size=2"}, axes).has_value());
  BOOST_TEST(countCells(axes, 9) == 2);
  BOOST_TEST(axes[0].values[0].name == "fast");
  BOOST_TEST((keepOnly({"lin=fast"}, axes).error().code == ErrorCode::kNotFound));
  BOOST_TEST((keepOnly({"link=slow"}, axes).error().code == ErrorCode::kNotFound));
  const auto without = keepOnly({"link"}, axes);
  BOOST_TEST((without.error().code == ErrorCode::kNotFound));
  BOOST_TEST(without.error().message.find("link=fast") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(cells_are_counted_without_overflow) {
  Axis axis{"a", {}};
  axis.values.resize(1'000);
  BOOST_TEST(countCells({}, 10) == 1);
  BOOST_TEST(countCells({axis}, 1'000) == 1'000);
  BOOST_TEST(countCells({axis}, 999) == 1'000);
  BOOST_TEST(countCells(std::vector<Axis>(16, axis), 200) == 201);
}

BOOST_AUTO_TEST_CASE(a_script_makes_the_job_elastic_and_its_largest_number_fixes_the_parts) {
  const auto made =
      make("  scale: [{at: 0s, workers: 2}, {at: 1s, workers: 5}, {at: 2s, workers: 1}]\n");
  BOOST_REQUIRE(made.cells.size() == 1);
  BOOST_TEST(made.cells[0].job.worker.replicas == 2);
  BOOST_TEST(made.cells[0].job.training.logical_workers == 5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::cells_test
