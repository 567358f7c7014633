#include <string>

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "job/document/job.h"
#include "tests/support/golden.h"
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

Overrides decentralized(std::optional<int> servers) {
  Overrides overrides = sets({"strategy.topology=decentralized", "server=null"});
  overrides.servers = servers;
  return overrides;
}

/// The overrides as arguments of the command line.
std::string nameOf(const Overrides& overrides) {
  std::string name;
  for (const std::string& assignment : overrides.sets)
    name += " --set " + assignment;
  if (overrides.workers) name += " --workers " + std::to_string(*overrides.workers);
  if (overrides.servers) name += " --servers " + std::to_string(*overrides.servers);
  return name.substr(1);
}

std::string withoutParts() {
  return replaced(kLenet, "    logicalWorkers: 4\n", "");
}

std::string withTemplate() {
  return replaced(kLenet, "  worker: {replicas: 2}",
                  "  worker: {template: {spec: {containers: [{name: sumac, image: a}]}}}");
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
}

BOOST_AUTO_TEST_CASE(refuses_what_a_set_or_a_flag_gets_wrong_and_names_the_field) {
  const std::string training = "spec.training.";
  const std::string container = "worker.template.spec.containers";
  const auto folder = [](const std::string& path) {
    Overrides overrides = sets({"data={format: idx, path: \"" + path + "\"}"});
    overrides.base = "/home/me";
    return overrides;
  };
  const std::pair<Overrides, std::string> cases[] = {
      {sets({"training.batchSize=many", "training.bacthSize=3", "nothing", "model.name.x=1"}),
       "\n\n" + training + "batchSize\n" + training + "bacthSize\n"},
      {sets({"training.clap=null"}), training + "clap\n"},
      {sets({"training.batchSize=null"}), "9:5 " + training + "batchSize\n"},
      // Not taken for `adam` that was misspelled.
      {sets({"training.optimizer.name=adamw", "training.schedule.name=cosine"}),
       training + "optimizer.name\n" + training + "schedule.name\n"},
      {sets({"training.seed=18446744073709551615", "training.batchSize=99999999999999999999999",
             "training.epochs=1.5", "training.optimizer.learningRate=abc"}),
       training + "batchSize\n" + training + "epochs\n" + training + "optimizer.learningRate\n" +
           training + "seed\n"},
      {workers(5), "spec.worker.replicas\n"},
      {folder("~/data/mnist"), "spec.data.path\n"},
      {folder("s3://bucket/mnist"), "spec.data.path\n"},
      {decentralized(3), "spec.server\n"},
      {sets({container + "[1].image=b"}), "\n"},
      {sets({container + "[].image=b"}), "\n"},
      {sets({container + "[x].image=b"}), "\n"},
      {sets({container + "[-1]=b"}), "\n"},
      {sets({container + "[0=b"}), "\n"},
      {sets({container + "[0]x=b"}), "\n"}};
  test::Transcript said;
  for (const auto& [overrides, places] : cases) {
    const auto problems = readJob(withTemplate(), "job.yaml", overrides, true).problems;
    const std::string name = nameOf(overrides);
    BOOST_TEST(placesOf(problems) == places, name);
    said.add(name, problemList(problems));
  }
  test::checkGolden("job/document/overrides.txt", said.text());
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

BOOST_AUTO_TEST_CASE(a_job_whose_workers_sum_takes_no_servers_of_the_command_line) {
  BOOST_TEST(good(kLenet, decentralized(std::nullopt)).server.replicas == 0);
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
  const Reading set = readJob(withTemplate(), "job.yaml",
                              sets({"worker.template.spec.containers[0].image=b"}), true);
  const std::string document = set.document.text();
  BOOST_TEST(document.find("\"image\": \"b\"") != std::string::npos, document);
  BOOST_TEST(document.find("containers[0]") == std::string::npos, document);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::job::overrides_test
