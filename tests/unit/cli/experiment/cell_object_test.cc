#include "cli/experiment/cell_object.h"

#include <boost/test/unit_test.hpp>

#include "cli/experiment/hpa_object.h"

namespace sumac::cli::cell_object_test {
namespace {

using nlohmann::json;

const ExperimentMark kMark{"study", "0123456789"};

experiment::Cell cellOf(const std::string& document) {
  experiment::Cell cell;
  cell.document = JsonTree(nlohmann::ordered_json::parse(document));
  return cell;
}

json objectOf(const experiment::Cell& cell) {
  return jobObjectOf(kMark, {1, 1}, cell, "0a1b2c3d");
}

json variablesOf(const json& object, const std::string& role) {
  return object.at(json::json_pointer("/spec/" + role + "/template/spec/containers/0/env"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(cell_object)

BOOST_AUTO_TEST_CASE(the_labels_say_which_run_it_is) {
  const auto object = jobObjectOf(
      kMark, {3, 2},
      cellOf(R"({"kind":"TrainingJob","metadata":{"name":"a","namespace":"b"},"spec":{}})"), "");
  BOOST_TEST(object.at("metadata") == json::parse(R"({"name":"study-0123456789-3-2","labels":{
               "sumac.dev/experiment":"study","sumac.dev/experiment-folder":"0123456789",
               "sumac.dev/cell":"3","sumac.dev/repetition":"2"}})"));
}

BOOST_AUTO_TEST_CASE(a_long_name_is_cut) {
  const ExperimentMark mark{std::string(50, 'a'), "0123456789"};
  BOOST_TEST(jobNameOf(mark, {100'000, 1'000}).size() == 50U);
  BOOST_TEST(jobNameOf(mark, {1, 2}).ends_with("a-0123456789-1-2"));
}

BOOST_AUTO_TEST_CASE(folders_do_not_share_jobs) {
  const auto one = ExperimentMark::of("study", "jobs", "host", "/a").folder;
  BOOST_TEST(one.size() == 10U);
  BOOST_TEST(one == ExperimentMark::of("study", "jobs", "host", "/a").folder);
  BOOST_TEST(one != ExperimentMark::of("study", "jobs", "host", "/b").folder);
  BOOST_TEST(one != ExperimentMark::of("study", "other", "host", "/a").folder);
}

BOOST_AUTO_TEST_CASE(the_coordinator_prints_its_progress) {
  experiment::Cell cell = cellOf(R"({"spec":{"server":{"template":{"spec":{"containers":[
    {"name":"sumac","env":[{"name":"A","value":"b"}]}]}}}}})");
  auto object = objectOf(cell);
  BOOST_TEST(variablesOf(object, "server") == json::parse(R"([{"name":"A","value":"b"},
    {"name":"SUMAC_PROGRESS_FD","value":"1"}])"));
  BOOST_TEST(!object.at("spec").contains("worker"));

  cell = cellOf(R"({"spec":{}})");
  cell.job.strategy.method = std::nullopt;
  object = objectOf(cell);
  BOOST_TEST(variablesOf(object, "worker").size() == 1U);
  BOOST_TEST(!object.at("spec").contains("server"));
}

BOOST_AUTO_TEST_CASE(pods_stay_and_failures_come_early_unless_the_job_says_otherwise) {
  auto policy = objectOf(cellOf(R"({"spec":{}})")).at("spec").at("runPolicy");
  BOOST_TEST(policy.at("cleanPodPolicy") == "None");
  BOOST_TEST(policy.at("backoffLimit") == 0);
  policy =
      objectOf(cellOf(R"({"spec":{"runPolicy":{"backoffLimit":2}}})")).at("spec").at("runPolicy");
  BOOST_TEST(policy.at("backoffLimit") == 2);
}

BOOST_AUTO_TEST_CASE(emulation_is_a_variable_of_the_workers) {
  experiment::Cell cell = cellOf(R"({"spec":{}})");
  cell.conditions.is_emulated = true;
  cell.conditions.slowdown = 10;
  const auto object = objectOf(cell);
  BOOST_TEST(variablesOf(object, "worker") == json::parse(R"([
    {"name":"SUMAC_EMULATE_COMPUTE","value":"/tmp/step-times"},
    {"name":"SUMAC_SLOWDOWN","value":"10.000000"}])"));
}

BOOST_AUTO_TEST_CASE(repetitions_that_learn_have_seeds_of_their_own) {
  experiment::Cell cell = cellOf(R"({"spec":{"training":{"seed":5}}})");
  cell.job.training.seed = 5;
  const json::json_pointer seed("/spec/training/seed");
  BOOST_TEST(jobObjectOf(kMark, {1, 3}, cell, "").at(seed) == 5);
  cell.is_reseeded = true;
  BOOST_TEST(jobObjectOf(kMark, {1, 3}, cell, "").at(seed) == 7);
}

BOOST_AUTO_TEST_CASE(no_run_continues_from_the_checkpoint_of_another) {
  const auto folderIn = [](const std::string& volume) {
    const auto object =
        objectOf(cellOf(R"({"spec":{"checkpoint":{"path":"/c","volume":)" + volume + "}}}"));
    return object.at(json::json_pointer("/spec/checkpoint/volume/subPath"));
  };
  BOOST_TEST(folderIn(R"({"nfs":{}})") == "study-0123456789-1-1-0a1b2c3d");
  BOOST_TEST(folderIn(R"({"nfs":{},"subPath":"a/b"})") == "a/b/study-0123456789-1-1-0a1b2c3d");
}

BOOST_AUTO_TEST_CASE(a_script_does_not_wait_as_autoscalers_do) {
  const auto coolDownIn = [](const std::string& spec) {
    const auto policy = objectOf(cellOf(R"({"spec":)" + spec + "}")).at("spec").at("runPolicy");
    return policy.value("scaleCoolDownSeconds", -1);
  };
  BOOST_TEST(coolDownIn("{}") == -1);
  BOOST_TEST(coolDownIn(R"({"worker":{"minReplicas":1,"maxReplicas":2}})") == 0);
  BOOST_TEST(coolDownIn(R"({"worker":{"minReplicas":1,"maxReplicas":2},
                            "runPolicy":{"scaleCoolDownSeconds":7}})") == 7);
}

BOOST_AUTO_TEST_CASE(link_rates_are_annotations_of_the_pods) {
  experiment::Cell cell = cellOf(R"({"spec":{}})");
  cell.conditions.link_bits_per_second = 100'000'000;
  const auto object = objectOf(cell);
  for (const char* const role : {"worker", "server"}) {
    const auto annotations = object.at(
        json::json_pointer(std::string("/spec/") + role + "/template/metadata/annotations"));
    BOOST_TEST(annotations.at("kubernetes.io/ingress-bandwidth") == "100000000");
    BOOST_TEST(annotations.at("kubernetes.io/egress-bandwidth") == "100000000");
  }
}

BOOST_AUTO_TEST_CASE(an_autoscaler_on_processor_time_knows_what_a_worker_asks_for) {
  experiment::Cell cell =
      cellOf(R"({"spec":{"worker":{"replicas":3,"minReplicas":1,"maxReplicas":3}}})");
  cell.job.worker = {.replicas = 3, .min_replicas = 1, .max_replicas = 3};
  cell.job.training.threads = 2;
  cell.conditions.hpa.emplace();
  const json::json_pointer cpu("/spec/worker/template/spec/containers/0/resources/requests/cpu");
  BOOST_TEST(objectOf(cell).at(cpu) == "2000m");
  BOOST_TEST(objectOf(cell).at("/spec/worker/replicas"_json_pointer) == 1);
  cell.conditions.hpa->cpu_request = 0.25;
  BOOST_TEST(objectOf(cell).at(cpu) == "250m");

  const json autoscaler = autoscalerObject(kMark, {"job", "uid-job"}, cell);
  BOOST_TEST(autoscaler.at("/spec/scaleTargetRef/name"_json_pointer) == "job");
  BOOST_TEST(autoscaler.at("/spec/minReplicas"_json_pointer) == 1);
  BOOST_TEST(autoscaler.at("/spec/maxReplicas"_json_pointer) == 3);
  BOOST_TEST(autoscaler.at("/spec/metrics/0/resource/target/averageUtilization"_json_pointer) ==
             80);
  BOOST_TEST(autoscaler.at("/metadata/ownerReferences/0/uid"_json_pointer) == "uid-job");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::cell_object_test
