#include "experiment/document/read.h"

#include <boost/test/unit_test.hpp>

#include "job/document/explain.h"
#include "tests/support/golden.h"

#include "experiment/document/fields.h"
#include "experiment/document/kind.h"

namespace sumac::experiment::read_test {
namespace {

const std::string kHead =
    "apiVersion: sumac.dev/v1alpha1\n"
    "kind: Experiment\n"
    "metadata: {name: study}\n"
    "spec:\n";
const std::string kJob = "  jobPath: job.yaml\n";

Result<NamedFile> load(const std::string& path) {
  if (path == "job.yaml") return NamedFile{"here/job.yaml", "kind: TrainingJob\n"};
  if (path == "other.yaml") return NamedFile{"here/other.yaml", "kind: Experiment\nspec: {}\n"};
  if (path == "list.yaml") return NamedFile{"here/list.yaml", "[1]\n"};
  if (path == "broken.yaml") return NamedFile{"here/broken.yaml", "a: [1\n"};
  return Error{ErrorCode::kNotFound, "no file " + path};
}

Reading read(const std::string& text) {
  return readExperiment(text, "study.yaml", load);
}

std::string problems(const std::string& text) {
  return job::problemList(read(text).problems);
}

struct Refused {
  const char* name;
  std::string spec;
  const char* place;
};

/// With a job, whose line is the fifth.
const Refused kRefused[] = {
    {"a word mistyped", "  repetition: 3\n", "6:3 spec.repetition: "},
    {"one step", "  steps: 1\n", "6:10 spec.steps: "},
    {"half a width of 1.5", "  stop: {halfWidth: 1.5}\n", "6:21 spec.stop.halfWidth: "},
    {"a job twice", "  job: {}\n", "5:3 spec: "},
    {"one repetition with a rule", "  repetitions: 1\n  stop: {halfWidth: \"0.1\"}\n",
     "6:16 spec.repetitions: "},
    {"fewer repetitions at most",
     "  repetitions: 5\n  stop: {halfWidth: \"0.1\", maxRepetitions: 4}\n",
     "7:44 spec.stop.maxRepetitions: "},
    {"one repetition at most", "  stop: {halfWidth: \"0.1\", maxRepetitions: 1}\n",
     "6:44 spec.stop.maxRepetitions: "},
    {"test values that choose", "  measure: {metric: testAccuracy}\n",
     "6:21 spec.measure.metric: "},
    {"a script of nothing", "  scale: []\n", "6:10 spec.scale: "},
    {"a script that begins late", "  scale: [{at: 1s, workers: 1}]\n", "6:16 spec.scale[0].at: "},
    {"two steps at one time", "  scale: [{at: 0s, workers: 1}, {at: 0s, workers: 2}]\n",
     "6:38 spec.scale[1].at: "},
    {"two steps of one size", "  scale: [{at: 0s, workers: 1}, {at: 1s, workers: 1}]\n",
     "6:51 spec.scale[1].workers: "},
    {"a script and workers",
     "  scale: [{at: 0s, workers: 1}]\n  axes: [{field: worker.replicas, values: [1, 2]}]\n",
     "7:18 spec.axes[0].field: `worker.replicas`"},
    {"a script and batches of a worker as an axis",
     "  scale: [{at: 0s, workers: 1}]\n  axes: [{field: batchSizePerWorker, values: [8, 16]}]\n",
     "7:18 spec.axes[0].field: `batchSizePerWorker`"},
    {"a script and batches of a worker",
     "  scale: [{at: 0s, workers: 1}]\n  batchSizePerWorker: 8\n", "7:"},
    {"a script and a job that sizes itself",
     "  scale: [{at: 0s, workers: 1}]\n  autoscaling: {fixed: 2}\n", "7:16 spec.autoscaling: "},
    {"a script and events", "  scale: [{at: 0s, workers: 1}]\n  events: [{at: 1s, room: 2}]\n",
     "7:11 spec.events: "},
    {"a script and sizing as an axis",
     "  scale: [{at: 0s, workers: 1}]\n  axes: [{field: autoscaling, values: [{fixed: 1}]}]\n",
     "7:18 spec.axes[0].field: `autoscaling`"},
    {"workers beside a policy",
     "  autoscaling: {policy: throughput}\n  axes: [{field: worker.replicas, values: [1, 2]}]\n",
     "7:44 spec.axes[0]: "},
    {"workers beside an axis of policies",
     "  axes: [{field: worker.replicas, values: [1, 2]}, {field: autoscaling, values: [null, "
     "{policy: throughput}]}]\n",
     "6:44 spec.axes[0]: "},
    {"workers of jobs that a value lets size themselves",
     "  axes: [{name: a, variants: [{name: b, set: {worker.replicas: 2, "
     "spec.autoscaling.policy: throughput}}]}]\n",
     "6:31 spec.axes[0]: "},
    {"a job that is sized in two ways", "  autoscaling: {policy: cost, fixed: 2}\n",
     "6:16 spec.autoscaling: "},
    {"a job that is sized in no way", "  autoscaling: {stabilizationSeconds: 5}\n",
     "6:16 spec.autoscaling: "},
    {"a target without its policy", "  autoscaling: {fixed: 2, targetEfficiency: 0.8}\n",
     "6:16 spec.autoscaling: "},
    {"no workers", "  autoscaling: {fixed: 0}\n", "6:24 spec.autoscaling.fixed: "},
    {"a target of 150 %", "  autoscaling: {policy: efficiency, targetEfficiency: 1.5}\n",
     "6:55 spec.autoscaling.targetEfficiency: "},
    {"a budget without a price", "  autoscaling: {policy: cost, cost: {budget: 5}}\n",
     "6:25 spec.autoscaling.policy: "},
    {"no use of the processor", "  autoscaling: {hpa: {targetUtilization: 0}}\n",
     "6:42 spec.autoscaling.hpa.targetUtilization: "},
    {"two things at once", "  events: [{at: 1s, room: 2, kill: worker 1}]\n",
     "6:12 spec.events[0]: "},
    {"nothing at a time", "  events: [{at: 1s}]\n", "6:12 spec.events[0]: "},
    {"an event back in time", "  events: [{at: 2s, room: 2}, {at: 1s, room: 3}]\n",
     "6:36 spec.events[1].at: "},
    {"a time without a unit", "  events: [{at: 2, room: 2}]\n", "6:17 spec.events[0].at: "},
    {"no room", "  events: [{at: 2s, room: 0}]\n", "6:27 spec.events[0].room: "},
    {"a worker that becomes faster", "  events: [{at: 2s, slow: {worker: 0, factor: 0.5}}]\n",
     "6:47 spec.events[0].slow.factor: "},
    {"a worker without a number", "  events: [{at: 2s, kill: worker}]\n",
     "6:27 spec.events[0].kill: "},
    {"a server that is killed", "  events: [{at: 2s, kill: server 0}]\n",
     "6:27 spec.events[0].kill: "},
    {"noise of a half", "  simulation: {noise: 0.5}\n", "6:23 spec.simulation.noise: "},
};

const Refused kRefusedAxes[] = {
    {"an unknown field", "{field: worker.replica, values: [1]}", "7:15 spec.axes[0].field: "},
    {"steps", "{field: steps, values: [10]}", "7:15 spec.axes[0].field: `steps`"},
    {"a field set elsewhere", "{field: checkpoint.everySteps, values: [1]}",
     "7:15 spec.axes[0].field: `checkpoint.everySteps`"},
    {"a name", "{field: metadata.name, values: [a]}", "7:15 spec.axes[0].field: `metadata.name`"},
    {"epochs", "{field: training.epochs, values: [1]}",
     "7:15 spec.axes[0].field: `training.epochs`"},
    {"batches beside those of a worker",
     "{field: training.batchSize, values: [8]}\n  batchSizePerWorker: 8",
     "7:15 spec.axes[0].field: `training.batchSize`"},
    {"a delay", "{field: link.delay, values: [1ms]}", "7:15 spec.axes[0].field: `link.delay`"},
    {"no values", "{field: worker.replicas}", "7:7 spec.axes[0]: "},
    {"values of nothing", "{field: worker.replicas, values: []}", "7:40 spec.axes[0]: "},
    {"a value twice", "{field: worker.replicas, values: [1, 1]}", "7:44 spec.axes[0]: "},
    {"two axes of one field",
     "{field: worker.replicas, values: [1]}\n"
     "    - {name: w, variants: [{name: a, set: {worker.replicas: 2}}]}",
     "8:7 spec.axes[1]: "},
    {"a policy mistyped as a value", "{field: autoscaling, values: [{policy: speed}]}",
     "7:46 spec.axes[0].values.policy: "},
    {"a size mistyped in a variant",
     "{name: s, variants: [{name: a, set: {autoscaling: {fixd: 2}}}]}",
     "7:58 spec.axes[0].variants[0].set.autoscaling"},
    {"a fixed size beside an axis of workers",
     "{field: worker.replicas, values: [1, 2]}\n    - {field: autoscaling, values: [{fixed: 1}]}",
     "8:7 spec.axes[1]: "},
};

const Refused kRefusedJobs[] = {
    {"no job", "  steps: 2\n", "study.yaml:5:3 spec: "},
    {"a file that is missing", "  jobPath: gone.yaml\n", "study.yaml:5:12 spec.jobPath: "},
    {"a list", "  jobPath: list.yaml\n", "study.yaml:5:12 spec.jobPath: here/list.yaml"},
    {"another kind", "  jobPath: other.yaml\n", "study.yaml:5:12 spec.jobPath: here/other.yaml"},
    {"no YAML", "  jobPath: broken.yaml\n", "here/broken.yaml:"},
    {"a number", "  job: 7\n", "study.yaml:5:8 spec.job: "},
};

}  // namespace

BOOST_AUTO_TEST_SUITE(read_experiment)

BOOST_AUTO_TEST_CASE(a_short_document_has_defaults) {
  const auto reading = read(kHead + kJob);

  BOOST_TEST(job::problemList(reading.problems) == "");
  const Experiment& experiment = reading.experiment.value();
  BOOST_TEST(experiment.name == "study");
  BOOST_TEST(experiment.base.file == "here/job.yaml");
  BOOST_TEST(experiment.base.prefix == "");
  BOOST_TEST(experiment.axes.empty());
  BOOST_TEST(experiment.measurement.steps == 100);
  BOOST_TEST(experiment.measurement.warmup_steps == 20);
  BOOST_TEST(experiment.measurement.repetitions == 3);
  BOOST_TEST(experiment.measurement.seed == 1U);
  BOOST_TEST(!experiment.measurement.stop.has_value());
  BOOST_TEST((experiment.measurement.metric == Metric::kSamplesPerSecond));
}

BOOST_AUTO_TEST_CASE(cells_may_be_compared_by_what_they_learn) {
  const auto reading = read(kHead + kJob + "  measure: {metric: validationPerplexity}\n");
  BOOST_TEST(job::problemList(reading.problems) == "");
  const Measurement& measurement = reading.experiment.value().measurement;
  BOOST_TEST((measurement.metric == Metric::kValidationPerplexity));
  BOOST_TEST(measurement.metric_position.line == 6);
}

BOOST_AUTO_TEST_CASE(axes_have_fields_or_variants) {
  const auto reading =
      read(kHead + kJob +
           "  axes:\n"
           "    - {field: worker.replicas, values: [1, 2]}\n"
           "    - name: exchange\n"
           "      variants:\n"
           "        - {name: ring, set: {strategy.algorithm: ring, server: null}}\n"
           "  stop: {halfWidth: \"0.02\"}\n");

  BOOST_REQUIRE(reading.experiment.has_value());
  const auto& axes = reading.experiment->axes;
  BOOST_REQUIRE(axes.size() == 2);
  BOOST_TEST(axes[0].name == "worker.replicas");
  BOOST_TEST(axes[0].values[1].name == "2");
  BOOST_TEST(axes[0].values[1].settings[0].path == "spec.worker.replicas");
  BOOST_TEST(axes[1].values[0].name == "ring");
  BOOST_TEST(axes[1].values[0].settings[1].path == "spec.server");
  BOOST_TEST(reading.experiment->measurement.stop->half_width == 0.02);
  BOOST_TEST(reading.experiment->measurement.stop->most_repetitions == 10);
}

BOOST_AUTO_TEST_CASE(a_job_may_stand_in_the_document) {
  const auto reading = read(kHead + "  job: {kind: TrainingJob}\n");
  BOOST_REQUIRE(reading.experiment.has_value());
  BOOST_TEST(reading.experiment->base.prefix == "spec.job.");
  BOOST_TEST(reading.experiment->base.document.find("kind")->text == "TrainingJob");
}

BOOST_AUTO_TEST_CASE(problems_have_positions_and_near_names) {
  test::Transcript said;
  const auto refuses = [&](const char* name, const std::string& text, const std::string& place) {
    const std::string found = problems(text);
    BOOST_TEST(found.starts_with(place), found);
    said.add(name, found);
  };
  for (const auto& [name, spec, place] : kRefused)
    refuses(name, kHead + kJob + spec, std::string("study.yaml:") + place);
  for (const auto& [name, axis, place] : kRefusedAxes)
    refuses(name, kHead + kJob + "  axes:\n    - " + axis + "\n",
            std::string("study.yaml:") + place);
  for (const auto& [name, spec, place] : kRefusedJobs)
    refuses(name, kHead + spec, place);
  refuses("a job for an experiment", "kind: TrainingJob\nspec: {unknown: 1}\n",
          "study.yaml:1:7 kind: ");
  test::checkGolden("experiment/document/read.txt", said.text());
  for (const char* const time : {"1", "s", "1.s.", "-1s", "1 s", "1d", ".", "1.2.3s"}) {
    const std::string script = std::string("  scale: [{at: '") + time + "', workers: 1}]\n";
    BOOST_TEST(problems(kHead + kJob + script) != "", time);
  }
}

BOOST_AUTO_TEST_CASE(the_kind_tells_an_experiment) {
  BOOST_TEST(isExperiment(kHead));
  BOOST_TEST(!isExperiment("kind: TrainingJob\n"));
  BOOST_TEST(!isExperiment("kind: [Experiment"));
  BOOST_TEST(!isExperiment(""));
}

BOOST_AUTO_TEST_CASE(its_fields_explain_themselves) {
  const auto stop = job::explain(experimentField(), "experiment.spec.stop");
  BOOST_REQUIRE(stop.has_value());
  BOOST_TEST(stop->find("KIND:       Experiment") != std::string::npos);
  BOOST_TEST(stop->find("halfWidth") != std::string::npos);
  BOOST_TEST(job::explain(experimentField(), "experiment.spec.axis").error().message ==
             "spec has no field `axis`; did you mean `axes`?");
}

BOOST_AUTO_TEST_CASE(a_script_of_numbers_of_workers_is_read) {
  const auto reading =
      read(kHead + kJob + "  scale: [{at: 0s, workers: 1}, {at: 1.5m, workers: 4}]\n");
  BOOST_TEST(job::problemList(reading.problems) == "");
  const auto& scale = reading.experiment.value().scale;
  BOOST_REQUIRE(scale.size() == 2);
  BOOST_TEST(scale[0].workers == 1);
  BOOST_TEST(scale[1].seconds == 90);
}

BOOST_AUTO_TEST_CASE(sizing_is_an_axis_whose_values_name_themselves) {
  const auto reading = read(kHead + kJob +
                            "  axes:\n"
                            "    - field: autoscaling\n"
                            "      values:\n"
                            "        - {policy: efficiency, targetEfficiency: 0.8}\n"
                            "        - {policy: deadline, deadlineSeconds: 90}\n"
                            "        - {policy: cost, cost: {workerHour: 1, budget: 5}}\n"
                            "        - {fixed: 4}\n"
                            "        - {hpa: {tolerance: 0.2}}\n"
                            "        - null\n");
  BOOST_TEST(job::problemList(reading.problems) == "");
  const auto& values = reading.experiment.value().axes.at(0).values;
  BOOST_REQUIRE(values.size() == 6);
  std::vector<std::string> names;
  for (const AxisValue& value : values)
    names.push_back(value.name);
  BOOST_TEST(names == (std::vector<std::string>{"efficiency 0.8", "deadline 90 s", "cost 5",
                                                "4 workers", "hpa 80 %", "none"}),
             boost::test_tools::per_element());
  BOOST_TEST(values[0].settings[1].path == "spec.autoscaling");
  BOOST_TEST(values[3].settings[2].path == "spec.worker.replicas");
  BOOST_TEST(values[3].settings[2].value.text == "4");
}

BOOST_AUTO_TEST_CASE(sizings_of_one_policy_are_told_apart_by_the_settings_in_which_they_differ) {
  const auto namesOf = [](const std::string& values) {
    std::vector<std::string> names;
    const auto reading =
        read(kHead + kJob + "  axes:\n    - field: autoscaling\n      values:\n" + values);
    if (!reading.experiment) return names;
    for (const AxisValue& value : reading.experiment->axes.at(0).values)
      names.push_back(value.name);
    return names;
  };
  BOOST_TEST(namesOf("        - {policy: throughput, stabilizationSeconds: 3}\n"
                     "        - {policy: throughput, stabilizationSeconds: 60}\n"
                     "        - {policy: throughput}\n"
                     "        - {policy: deadline, deadlineSeconds: 90, cost: {workerHour: 1}}\n"
                     "        - {policy: deadline, deadlineSeconds: 90, cost: {workerHour: 2}}\n"
                     "        - {hpa: {targetUtilization: 80}}\n"
                     "        - {hpa: {periodSeconds: 5}}\n"
                     "        - {fixed: 1}\n") ==
                 (std::vector<std::string>{
                     "throughput (stabilizationSeconds 3)", "throughput (stabilizationSeconds 60)",
                     "throughput", "deadline 90 s (cost.workerHour 1)",
                     "deadline 90 s (cost.workerHour 2)", "hpa 80 % (targetUtilization 80)",
                     "hpa 80 % (periodSeconds 5)", "1 worker"}),
             boost::test_tools::per_element());
  BOOST_TEST(namesOf("        - {fixed: 2}\n        - {fixed: 2}\n").empty());
}

BOOST_AUTO_TEST_CASE(events_are_read) {
  const auto reading = read(kHead + kJob +
                            "  events: [{at: 1m, room: 2}, {at: 1m, slow: {worker: 1, factor: "
                            "2.5}}, {at: 90s, kill: worker 12}]\n"
                            "  simulation: {changeSeconds: 1.5, reportSeconds: 2, noise: 0}\n");
  BOOST_TEST(job::problemList(reading.problems) == "");
  const auto& events = reading.experiment.value().events;
  BOOST_REQUIRE(events.size() == 3);
  BOOST_TEST(events[0].seconds == 60);
  BOOST_TEST(events[0].workers == 2);
  BOOST_TEST((events[1].kind == ScriptedEvent::Kind::kSlow));
  BOOST_TEST(events[1].worker == 1);
  BOOST_TEST(events[1].factor == 2.5);
  BOOST_TEST((events[2].kind == ScriptedEvent::Kind::kKill));
  BOOST_TEST(events[2].worker == 12);
  const SimulationInputs& inputs = reading.experiment.value().simulation;
  BOOST_TEST(inputs.change_seconds.value() == 1.5);
  BOOST_TEST(inputs.report_seconds == 2);
  BOOST_TEST(inputs.noise == 0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::experiment::read_test
