#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "job/document/job.h"
#include "tests/unit/job/document/documents.h"

namespace sumac::job::overrides_test {

namespace {

Overrides sets(std::vector<std::string> assignments) {
  Overrides overrides;
  overrides.sets = std::move(assignments);
  return overrides;
}

Overrides workers(int count) {
  Overrides overrides;
  overrides.workers = count;
  return overrides;
}

TrainingJob good(std::string_view text, const Overrides& overrides) {
  Reading reading = readJob(text, "job.yaml", overrides, true);
  BOOST_TEST_REQUIRE(problemList(reading.problems) == "");
  return *reading.job;
}

std::string withoutParts() {
  return replaced(kLenet, "    logicalWorkers: 4\n", "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(overrides)

BOOST_AUTO_TEST_CASE(threads_are_automatic_unless_a_number_is_given) {
  BOOST_TEST(good(kLenet, {}).training.threads == 0);
  BOOST_TEST(good(kLenet, sets({"training.threads=auto"})).training.threads == 0);
  BOOST_TEST(good(kLenet, sets({"training.threads=3"})).training.threads == 3);
}

BOOST_AUTO_TEST_CASE(a_set_edits_the_document_with_or_without_spec) {
  const TrainingJob job = good(
      kLenet,
      sets({"training.batchSize=64", "spec.training.optimizer.learningRate=0.01",
            "training.evaluation.everyEpochs=2", "metadata.name=other", "training.kernels=avx2"}));

  BOOST_TEST(job.training.batch_size == 64);
  BOOST_TEST(job.training.optimizer.learning_rate == 0.01);
  BOOST_TEST(job.training.evaluation_every_epochs == 2);
  BOOST_TEST(job.name == "other");
  BOOST_TEST((job.training.kernels == Kernels::kAvx2));
}

BOOST_AUTO_TEST_CASE(a_later_set_wins) {
  BOOST_TEST(good(kLenet, sets({"training.seed=3", "training.seed=4"})).training.seed == 4U);
}

BOOST_AUTO_TEST_CASE(null_takes_a_field_out) {
  const TrainingJob job =
      good(kLenet, sets({"training.clip=null", "training.optimizer.momentum=null",
                         "training.optimizer.name=adam", "training.logicalWorkers=null",
                         "training.schedule.factor=null"}));

  BOOST_TEST(!job.training.clip_global_norm.has_value());
  BOOST_TEST(job.training.optimizer.momentum == 0.0);
  BOOST_TEST((job.training.optimizer.name == OptimizerName::kAdam));
  BOOST_TEST(job.training.logical_workers == 2);
  BOOST_TEST(
      problemList(readJob(kLenet, "job.yaml", sets({"training.clap=null"}), true).problems) ==
      "job.yaml spec.training.clap: unknown field; did you mean `clip`?\n");
  BOOST_TEST(!readJob(kLenet, "job.yaml", sets({"training.batchSize=null"}), true).job.has_value());
}

BOOST_AUTO_TEST_CASE(what_a_set_gets_wrong_is_reported_without_a_line) {
  const Reading reading = readJob(
      kLenet, "job.yaml",
      sets({"training.batchSize=many", "training.bacthSize=3", "nothing", "model.name.x=1"}), true);

  BOOST_TEST(problemList(reading.problems) ==
             "job.yaml: --set nothing: must be path=value, such as training.batchSize=64\n"
             "job.yaml: cannot set spec.model.name.x: found a string on the way to `x`, not a map\n"
             "job.yaml spec.training.batchSize: found the string \"many\", must be an integer\n"
             "job.yaml spec.training.bacthSize: unknown field; did you mean `batchSize`?\n");
}

// Not taken for `adam` that was misspelled.
BOOST_AUTO_TEST_CASE(what_people_know_from_elsewhere_is_said_to_be_missing) {
  const Reading reading =
      readJob(kLenet, "job.yaml",
              sets({"training.optimizer.name=adamw", "training.schedule.name=cosine"}), true);

  const std::string problems = problemList(reading.problems);
  for (const std::string said : {"adamw is not available yet, use one of sgd, nesterov, adam\n",
                                 "cosine is not available yet, use one of constant, step, "}) {
    BOOST_TEST(problems.find(said) != std::string::npos, problems);
  }
}

BOOST_AUTO_TEST_CASE(a_number_that_is_too_large_or_no_number_is_told_apart) {
  const Reading reading = readJob(
      kLenet, "job.yaml",
      sets({"training.seed=18446744073709551615", "training.batchSize=99999999999999999999999",
            "training.epochs=1.5", "training.optimizer.learningRate=abc"}),
      true);

  const std::string problems = problemList(reading.problems);
  const auto has = [&](const char* part) { return problems.find(part) != problems.npos; };
  BOOST_TEST(has("seed: found the number 18446744073709551615, must be <= 9223372036854775807\n"),
             problems);
  BOOST_TEST(has("batchSize: found the number 99999999999999999999999, must be <= "), problems);
  BOOST_TEST(has("epochs: found the number 1.5, must be an integer\n"), problems);
  BOOST_TEST(has("found the string \"abc\", must be a decimal number, such as \"0.1\"\n"),
             problems);
}

BOOST_AUTO_TEST_CASE(parts_are_the_workers_of_the_file_whatever_the_command_line_says) {
  const std::string four = replaced(withoutParts(), "{replicas: 2}", "{replicas: 4}");

  BOOST_TEST(good(four, {}).training.logical_workers == 4);
  BOOST_TEST(good(four, workers(1)).training.logical_workers == 4);
  BOOST_TEST(good(four, workers(1)).worker.replicas == 1);
  BOOST_TEST(good(four, sets({"worker.replicas=3"})).training.logical_workers == 3);
}

BOOST_AUTO_TEST_CASE(parts_are_the_most_workers_of_an_elastic_job) {
  const std::string elastic =
      replaced(withoutParts(), "{replicas: 2}", "{replicas: 2, minReplicas: 1, maxReplicas: 6}");

  BOOST_TEST(good(elastic, {}).training.logical_workers == 6);
  BOOST_TEST(good(elastic, workers(6)).worker.replicas == 6);
  BOOST_TEST(!readJob(elastic, "job.yaml", workers(7), true).job.has_value());
}

BOOST_AUTO_TEST_CASE(more_workers_than_parts_are_refused_with_the_field_s_name) {
  const Reading reading = readJob(kLenet, "job.yaml", workers(5), true);

  BOOST_TEST(
      problemList(reading.problems) ==
      "job.yaml spec.worker.replicas: found the number 5; worker.replicas must be <= "
      "training.logicalWorkers (4); set training.logicalWorkers to the most workers you want "
      "(--workers)\n");
}

BOOST_AUTO_TEST_CASE(a_path_that_is_no_folder_is_refused_as_it_was_given) {
  for (const std::string path : {"~/data/mnist", "s3://bucket/mnist"}) {
    Overrides overrides = sets({"data={format: idx, path: \"" + path + "\"}"});
    overrides.base = "/home/me";

    const std::string problems = problemList(readJob(kLenet, "job.yaml", overrides, true).problems);

    BOOST_TEST(problems.starts_with("job.yaml spec.data.path: path is a folder: write ~ out, "),
               problems);
  }
}

BOOST_AUTO_TEST_CASE(a_relative_data_path_becomes_absolute_where_a_base_is_given) {
  Overrides overrides = sets({"data={format: idx, path: ./mnist}"});
  BOOST_TEST(good(kLenet, overrides).data.path == "./mnist");

  overrides.base = "/home/me";
  BOOST_TEST(good(kLenet, overrides).data.path == "/home/me/mnist");
  overrides.sets = {"data={format: idx, path: ../mnist}"};
  BOOST_TEST(good(kLenet, overrides).data.path == "/home/me/../mnist");
  overrides.sets = {"data={format: idx, path: /data/mnist}"};
  BOOST_TEST(good(kLenet, overrides).data.path == "/data/mnist");
}

BOOST_AUTO_TEST_CASE(servers_of_the_command_line_replace_those_of_the_file) {
  Overrides overrides;
  overrides.servers = 3;

  BOOST_TEST(good(replaced(kLenet, "  server: {replicas: 1}\n", ""), overrides).server.replicas ==
             3);
}

BOOST_AUTO_TEST_CASE(servers_of_the_command_line_are_refused_where_the_workers_sum) {
  Overrides overrides = sets({"strategy.topology=decentralized", "server=null"});
  overrides.servers = 3;

  BOOST_TEST(problemList(readJob(kLenet, "job.yaml", overrides, true).problems) ==
             "job.yaml spec.server: server is only used with strategy.exchange parameterServer and "
             "strategy.topology centralized (--servers)\n");
  overrides.servers.reset();
  BOOST_TEST(good(kLenet, overrides).server.replicas == 0);
}

BOOST_AUTO_TEST_CASE(the_resolved_form_keeps_parts_and_workers) {
  const std::string four = replaced(withoutParts(), "{replicas: 2}", "{replicas: 4}");
  const Reading reading = readJob(four, "job.yaml", workers(2), true);

  const TrainingJob again = good(reading.resolved.text(), {});

  BOOST_TEST(again.training.logical_workers == 4);
  BOOST_TEST(again.worker.replicas == 2);
  BOOST_TEST(again.server.replicas == 1);
  BOOST_TEST(again.training.optimizer.momentum == 0.9);
  BOOST_TEST(readJob(reading.resolved, "x", {}, true).resolved.text() == reading.resolved.text());
}

BOOST_AUTO_TEST_CASE(seconds_between_checkpoints_are_for_documents_that_do_not_say_how_often) {
  Overrides kept;
  kept.checkpoint_seconds = 60;
  const auto seconds = [&kept](const std::string& section) {
    const auto found = readJob(std::string(kLenet) + section, "job.yaml", kept, true);
    BOOST_TEST_REQUIRE(found.job.has_value(), problemList(found.problems));
    return std::pair(found.job->checkpoint.every_steps, found.job->checkpoint.every_seconds);
  };
  using Pair = std::pair<std::int64_t, std::int64_t>;
  BOOST_TEST((seconds("") == Pair{500, 60}));
  BOOST_TEST((seconds("  checkpoint: {path: /c, keep: 2}\n") == Pair{500, 60}));
  BOOST_TEST((seconds("  checkpoint: {everySteps: 7}\n") == Pair{7, 0}));
  BOOST_TEST((seconds("  checkpoint: {everySeconds: 7}\n") == Pair{500, 7}));
  kept.sets = {"checkpoint.everySteps=9"};
  BOOST_TEST((seconds("") == Pair{9, 0}));

  // A cluster's job without the section keeps none; one with it has a folder and no clock.
  const auto none = readJob(kLenet, "job.yaml", {}, true);
  BOOST_TEST(none.job->checkpoint.path.empty());
  BOOST_TEST(none.job->checkpoint.every_steps == 0);
  const auto plain = readJob(std::string(kLenet) + "  checkpoint: {}\n", "job.yaml", {}, true);
  BOOST_TEST(plain.job->checkpoint.path == "/checkpoints");
  BOOST_TEST(plain.job->checkpoint.every_seconds == 0);
}

BOOST_AUTO_TEST_CASE(transport_of_the_command_line_is_for_documents_that_say_nothing_of_it) {
  Overrides plain;
  plain.transport = "none";
  const std::string asked = std::string(kLenet) + "  security: {transport: curve}\n";

  const Reading silent = readJob(kLenet, "job.yaml", plain, true);
  BOOST_TEST((silent.job->transport == Transport::kNone));
  BOOST_TEST(silent.resolved->at("spec").at("security").at("transport") == "none");
  BOOST_TEST((readJob(asked, "job.yaml", plain, true).job->transport == Transport::kCurve));
  plain.sets = {"security.transport=curve"};
  BOOST_TEST((readJob(kLenet, "job.yaml", plain, true).job->transport == Transport::kCurve));
}

BOOST_AUTO_TEST_CASE(a_set_reaches_into_the_lists_of_a_pod_template) {
  const std::string text =
      replaced(kLenet, "  worker: {replicas: 2}",
               "  worker: {template: {spec: {containers: [{name: sumac, image: a}]}}}");
  const std::string path = "worker.template.spec.containers";

  const Reading set = readJob(text, "job.yaml", sets({path + "[0].image=b"}), true);
  const std::string document = set.document.text();
  BOOST_TEST(document.find("\"image\": \"b\"") != std::string::npos, document);
  BOOST_TEST(document.find("containers[0]") == std::string::npos, document);

  const Reading beyond = readJob(text, "job.yaml", sets({path + "[1].image=b"}), true);
  BOOST_TEST(problemList(beyond.problems) ==
             "job.yaml: cannot set spec.worker.template.spec.containers[1].image: `containers` has "
             "1 item, the first is containers[0]; write the item into the file, or set the whole "
             "list: containers=[{...}]\n");
  for (const char* const wrong : {"[].image=b", "[x].image=b", "[-1]=b", "[0=b", "[0]x=b"}) {
    const Reading reading = readJob(text, "job.yaml", sets({path + wrong}), true);
    BOOST_TEST(problemList(reading.problems).find("is no item of a list") != std::string::npos,
               wrong);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::overrides_test
