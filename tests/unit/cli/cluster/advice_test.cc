#include "cli/cluster/advice.h"

#include <boost/test/unit_test.hpp>

#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::advice_test {

namespace {

std::string next(const api::TrainingJob& job) {
  return nextStep(job, at("12:10:00"), "kubectl sumac");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(advice)

BOOST_AUTO_TEST_CASE(says_for_every_state_what_to_do_with_names_filled_in) {
  struct Case {
    const char* state;
    nlohmann::json held;
    const char* says;
  };
  const Case cases[] = {
      {"Running", condition("Running", "Running"), "`kubectl sumac logs -f lenet5`"},
      {"Suspended", condition("Suspended", "Suspended"), "`kubectl sumac resume lenet5`"},
      {"Restarting", condition("Restarting", "LostPeers"), "the next attempt is starting"},
      {"Succeeded", condition("Succeeded", "Completed"), "persistentVolumeClaim"},
      {"Failed", condition("Failed", "InvalidSpec"), "sumac validate FILE"},
      {"Failed", condition("Failed", "BackoffLimitExceeded"), "starts again at step 0"},
      {"Failed", condition("Failed", "SomethingNew"), "Read the last failure"},
      {"Pending", condition("Running", "ImagePullBackOff", "", "False"), "image cannot be pulled"},
      {"Pending", condition("Running", "Unschedulable", "", "False"), "No node has room"},
      {"Pending", condition("Running", "QuotaExceeded", "", "False"), "quota"},
      {"Pending", condition("Running", "Pending", "", "False"), "get lenet5 -w"},
  };

  for (const Case& each : cases) {
    const std::string text = next(jobIn(each.state, each.held));
    BOOST_TEST(contains(text, each.says), text);
    BOOST_TEST(!contains(text, "{job}"), text);
    BOOST_TEST(!contains(text, "{sumac}"), text);
  }
}

BOOST_AUTO_TEST_CASE(follows_the_message_where_one_reason_has_several_causes) {
  struct Case {
    const char* type;
    const char* reason;
    const char* message;
    const char* says;
  };
  const Case cases[] = {
      {"Running", "Unschedulable", "0/1 nodes: persistentvolumeclaim \"data\" not found",
       "create it"},
      {"Running", "Unschedulable", "pod has unbound immediate PersistentVolumeClaims",
       "kubectl describe pvc"},
      {"Running", "Unschedulable", "0/2 nodes are available: 2 Insufficient cpu.",
       "No node has room"},
      {"Running", "Unschedulable", "0/1 nodes are available: 1 node(s) were unschedulable.",
       "uncordon"},
      {"Running", "Unschedulable",
       "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
       "nodeSelector"},
      {"Running", "Refused", "the API server rejected Pod a: quantities must match", "512Mi"},
      {"Running", "DeletionOverdue", "pod a was deleted and still exists", "finalizers"},
      {"Running", "Forbidden", "pods \"a\" is forbidden: maximum memory usage per Container is 1Gi",
       "LimitRange"},
      {"Running", "Forbidden", "violates PodSecurity \"restricted:latest\"", "Pod Security level"},
      {"Running", "Forbidden", "cannot create resource \"pods\"", "lacks a right"},
      {"Failed", "FailedForGood", "the loss of step 3 is not finite", "learningRate"},
      {"Failed", "FailedForGood", "the output: /output: Permission denied", "fsGroup"},
      {"Failed", "FailedForGood", "the output: /output: Read-only file system", "read-only"},
      {"Failed", "FailedForGood", "the checkpoint is damaged", "that the message above names"},
      {"Failed", "BadConfiguration", "the checkpoint of step 3 is of another job or other data",
       "metadata.name"},
      {"Failed", "BadConfiguration", "data: no such file: /data/train", "spec.data.volume"},
      {"Failed", "BadConfiguration", "spec.model: no layer", "correct what the message"},
  };
  for (const Case& each : cases) {
    const bool is_failure = std::string(each.type) == "Failed";
    const std::string text =
        next(jobIn(is_failure ? "Failed" : "Pending",
                   condition(each.type, each.reason, each.message, is_failure ? "True" : "False")));
    BOOST_TEST(contains(text, each.says), each.message << ": " << text);
  }
}

BOOST_AUTO_TEST_CASE(names_the_field_of_a_template_that_the_api_server_does_not_read) {
  nlohmann::json object = jobObject();
  object["spec"]["worker"]["template"] = nlohmann::json::parse(
      R"({"spec": {"containers": [{"name": "sumac", "resources": {"limits": {"memory": "512mi"}}}]}})");
  object["status"] = statusObject("Pending", condition("Running", "Refused", "no", "False"));
  const std::string text = next(jobOf(object));
  BOOST_TEST(contains(text, "spec.worker.template.spec.containers[0].resources.limits.memory"),
             text);
}

BOOST_AUTO_TEST_CASE(names_what_holds_up_a_restart_or_a_suspension) {
  nlohmann::json object = jobObject();
  object["status"] = statusObject("Restarting", condition("Restarting", "KilledBySignal"));
  nlohmann::json& conditions = object["status"]["conditions"];
  conditions.push_back(condition("Running", "Restarting", "", "False"));
  BOOST_TEST(contains(next(jobOf(object)), "the next attempt is starting"));
  conditions[1]["reason"] = "DeletionOverdue";
  BOOST_TEST(contains(next(jobOf(object)), "finalizers"));

  object["spec"]["suspend"] = true;
  object["status"]["state"] = "Suspending";
  conditions[0] = condition("Suspended", "Suspending", "", "False");
  BOOST_TEST(contains(next(jobOf(object)), "finalizers"));
  conditions[1]["reason"] = "Suspending";
  BOOST_TEST(contains(next(jobOf(object)), "Wait: its pods end"));
}

BOOST_AUTO_TEST_CASE(knows_where_the_model_is) {
  struct Case {
    const char* volume;
    const char* says;
  };
  const Case cases[] = {
      {R"({"persistentVolumeClaim":{"claimName":"models"}})", "on persistentVolumeClaim models;"},
      {R"({"nfs":{"server":"nas","path":"/m"}})", "on nfs nas:/m;"},
      {R"({"hostPath":{"path":"/m"}})", "on hostPath /m of worker 0's node;"},
      {R"({"csi":{"driver":"gcs"}})", "on csi gcs;"},
      {R"({})", "on the volume that the worker's pod template mounts there;"},
  };
  nlohmann::json object = jobObject();
  object["status"] = statusObject("Succeeded", condition("Succeeded", "Completed"));
  object["status"]["result"] = {{"steps", 1}, {"modelPath", "/output/model.safetensors"}};
  for (const Case& each : cases) {
    object["spec"]["output"] = {{"path", "/output"},
                                {"volume", nlohmann::json::parse(each.volume)}};
    const std::string text = next(jobOf(object));
    BOOST_TEST(contains(text, "The model is /output/model.safetensors "), text);
    BOOST_TEST(contains(text, each.says), text);
  }
}

BOOST_AUTO_TEST_CASE(says_why_there_is_no_model_and_what_to_set) {
  nlohmann::json object = jobObject();
  object["status"] = statusObject("Succeeded", condition("Succeeded", "Completed"));
  object["status"]["result"] = {{"steps", 1}};

  const std::string without = next(jobOf(object));
  object["spec"]["output"] = {{"path", "/output"},
                              {"volume", {{"emptyDir", nlohmann::json::object()}}}};
  const std::string lost = next(jobOf(object));

  BOOST_TEST(contains(without, "the job has no spec.output"), without);
  BOOST_TEST(contains(lost, "The model was deleted with its pod"), lost);
  BOOST_TEST(contains(without, "persistentVolumeClaim: {claimName: NAME}"), without);
  BOOST_TEST(contains(lost, "persistentVolumeClaim: {claimName: NAME}"), lost);
}

BOOST_AUTO_TEST_CASE(promises_a_checkpoint_only_where_one_outlives_the_pods) {
  nlohmann::json object = jobObject();
  object["status"] = statusObject("Suspended", condition("Suspended", "Suspended"));
  BOOST_TEST(contains(next(jobOf(object)), "starts again at step 0"));

  object["spec"]["checkpoint"] = {{"path", "/c"},
                                  {"volume", {{"persistentVolumeClaim", {{"claimName", "c"}}}}}};
  BOOST_TEST(contains(next(jobOf(object)), "continues from the newest checkpoint"));
}

BOOST_AUTO_TEST_CASE(suspects_the_operator_only_after_a_while) {
  const auto job = jobOf(jobObject());

  BOOST_TEST(contains(nextStep(job, at("12:00:05"), "sumac"), "It is new"));
  BOOST_TEST(contains(nextStep(job, at("12:00:30"), "sumac"), "is it running"));
}

BOOST_AUTO_TEST_CASE(sends_to_who_manages_the_job) {
  nlohmann::json object = jobObject();
  object["spec"]["managedBy"] = "kueue.x-k8s.io/multikueue";

  BOOST_TEST(contains(next(jobOf(object)), "Another controller"));
}

BOOST_AUTO_TEST_CASE(explains_every_condition_both_ways) {
  for (const auto type : api::kConditionTypes) {
    api::Condition holds;
    holds.type = std::string(type);
    for (const auto status : {api::ConditionStatus::kTrue, api::ConditionStatus::kFalse,
                              api::ConditionStatus::kUnknown}) {
      holds.status = status;
      BOOST_TEST(!meaningOf(holds).empty(), type);
    }
  }
}

BOOST_AUTO_TEST_CASE(explains_exit_codes) {
  for (const int code : {0, 1, 2, 75, 78, 134, 137, 143})
    BOOST_TEST(!exitCodeMeaning(code).empty(), code);
  BOOST_TEST(exitCodeMeaning(42).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::advice_test
