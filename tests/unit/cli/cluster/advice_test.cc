#include "cli/cluster/advice.h"

#include <boost/test/unit_test.hpp>

#include "tests/support/golden.h"
#include "tests/unit/cli/cluster/jobs.h"

namespace sumac::cli::advice_test {

namespace {

std::string next(const nlohmann::json& object) {
  return nextStep(jobOf(object), at("12:10:00"), "kubectl sumac");
}

nlohmann::json objectIn(const char* state, const nlohmann::json& held) {
  nlohmann::json object = jobObject();
  object["status"] = statusObject(state, held);
  return object;
}

nlohmann::json waiting(const char* reason, const char* message = "") {
  return objectIn("Pending", condition("Running", reason, message, "False"));
}

nlohmann::json succeeded() {
  nlohmann::json object = objectIn("Succeeded", condition("Succeeded", "Completed"));
  object["status"]["result"] = {{"steps", 1}};
  return object;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(advice)

BOOST_AUTO_TEST_CASE(says_for_every_state_what_to_do_with_names_filled_in) {
  const std::pair<const char*, const char*> cases[] = {
      {"Running", "Running"},     {"Suspended", "Suspended"}, {"Restarting", "LostPeers"},
      {"Succeeded", "Completed"}, {"Failed", "InvalidSpec"},  {"Failed", "BackoffLimitExceeded"},
      {"Failed", "SomethingNew"}};
  test::Transcript said;
  for (const auto& [state, reason] : cases)
    said.add(std::string(state) + " " + reason, next(objectIn(state, condition(state, reason))));
  for (const char* reason :
       {"ImagePullBackOff", "Unschedulable", "QuotaExceeded", "Pending", "SomethingNew"})
    said.add(std::string("waits: ") + reason, next(waiting(reason)));
  nlohmann::json foreign = jobObject();
  foreign["spec"]["managedBy"] = "kueue.x-k8s.io/multikueue";
  said.add("managed by another controller", next(foreign));
  test::checkGolden("cli/cluster/advice_by_state.txt", said.text());
}

BOOST_AUTO_TEST_CASE(follows_the_message_where_one_reason_has_several_causes) {
  const std::pair<const char*, const char*> waits[] = {
      {"Unschedulable", "0/1 nodes: persistentvolumeclaim \"data\" not found"},
      {"Unschedulable", "pod has unbound immediate PersistentVolumeClaims"},
      {"Unschedulable", "0/2 nodes are available: 2 Insufficient cpu."},
      {"Unschedulable", "0/1 nodes are available: 1 node(s) were unschedulable."},
      {"Unschedulable",
       "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector."},
      {"Refused", "Pod a: quantities"},
      {"DeletionOverdue", "pod a"},
      {"Forbidden", "pods \"a\" is forbidden: maximum memory usage per Container is 1Gi"},
      {"Forbidden", "violates PodSecurity \"restricted:latest\""},
      {"Forbidden", "cannot create resource \"pods\""}};
  const std::pair<const char*, const char*> failures[] = {
      {"FailedForGood", "the loss of step 3 is not finite"},
      {"FailedForGood", "the output: /output: Permission denied"},
      {"FailedForGood", "the output: /output: Read-only file system"},
      {"FailedForGood", "the checkpoint is damaged"},
      {"BadConfiguration", "the checkpoint of step 3 is of another job or other data"},
      {"BadConfiguration", "data: no such file: /data/train"},
      {"BadConfiguration", "spec.model: no layer"}};
  test::Transcript said;
  for (const auto& [reason, message] : waits)
    said.add(std::string(reason) + ": " + message, next(waiting(reason, message)));
  for (const auto& [reason, message] : failures)
    said.add(std::string(reason) + ": " + message,
             next(objectIn("Failed", condition("Failed", reason, message))));
  test::checkGolden("cli/cluster/advice_by_message.txt", said.text());
}

BOOST_AUTO_TEST_CASE(names_the_field_of_a_template_that_the_api_server_does_not_read) {
  nlohmann::json object = waiting("Refused", "no");
  object["spec"]["worker"]["template"] = nlohmann::json::parse(
      R"({"spec": {"containers": [{"name": "sumac", "resources": {"limits": {"memory": "512mi"}}}]}})");
  const std::string text = next(object);
  BOOST_TEST(contains(text, "spec.worker.template.spec.containers[0].resources.limits.memory"),
             text);
}

BOOST_AUTO_TEST_CASE(names_what_holds_up_a_restart_or_a_suspension) {
  nlohmann::json object = objectIn("Restarting", condition("Restarting", "KilledBySignal"));
  nlohmann::json& conditions = object["status"]["conditions"];
  conditions.push_back(condition("Running", "Restarting", "", "False"));
  test::Transcript said;
  said.add("Restarting", next(object));
  conditions[1]["reason"] = "DeletionOverdue";
  said.add("Restarting, a pod stays", next(object));

  object["spec"]["suspend"] = true;
  object["status"]["state"] = "Suspending";
  conditions[0] = condition("Suspended", "Suspending", "", "False");
  said.add("Suspending, a pod stays", next(object));
  conditions[1]["reason"] = "Suspending";
  said.add("Suspending", next(object));
  test::checkGolden("cli/cluster/advice_held_up.txt", said.text());
}

BOOST_AUTO_TEST_CASE(knows_where_the_model_is_or_why_there_is_none_and_what_to_set) {
  test::Transcript said;
  nlohmann::json object = succeeded();
  said.add("no output", next(object));
  object["spec"]["output"] = {{"path", "/output"},
                              {"volume", {{"emptyDir", nlohmann::json::object()}}}};
  said.add("no volume that stays", next(object));
  object["status"]["result"]["modelPath"] = "/output/model.safetensors";
  for (const char* volume :
       {R"({"persistentVolumeClaim":{"claimName":"models"}})",
        R"({"nfs":{"server":"nas","path":"/m"}})", R"({"hostPath":{"path":"/m"}})",
        R"({"csi":{"driver":"gcs"}})", "{}"}) {
    object["spec"]["output"]["volume"] = nlohmann::json::parse(volume);
    said.add(volume, next(object));
  }
  test::checkGolden("cli/cluster/advice_model.txt", said.text());
}

BOOST_AUTO_TEST_CASE(promises_a_checkpoint_only_where_one_outlives_the_pods) {
  nlohmann::json object = objectIn("Suspended", condition("Suspended", "Suspended"));
  test::Transcript said;
  said.add("none", next(object));
  object["spec"]["checkpoint"] = {{"path", "/c"},
                                  {"volume", {{"persistentVolumeClaim", {{"claimName", "c"}}}}}};
  said.add("on a claim", next(object));
  test::checkGolden("cli/cluster/advice_checkpoint.txt", said.text());
}

BOOST_AUTO_TEST_CASE(suspects_the_operator_only_after_a_while) {
  const auto job = jobOf(jobObject());

  BOOST_TEST(!contains(nextStep(job, at("12:00:05"), "sumac"), "get pods"));
  BOOST_TEST(contains(nextStep(job, at("12:00:30"), "sumac"), "get pods"));
}

BOOST_AUTO_TEST_CASE(explains_every_condition_and_exit_code) {
  std::string text;
  for (const auto type : api::kConditionTypes) {
    api::Condition holds;
    holds.type = std::string(type);
    for (const auto status : {api::ConditionStatus::kTrue, api::ConditionStatus::kFalse,
                              api::ConditionStatus::kUnknown}) {
      holds.status = status;
      BOOST_TEST(!meaningOf(holds).empty(), type);
      text += holds.type + ": " + meaningOf(holds) + "\n";
    }
  }
  for (const int code : {0, 1, 2, 74, 75, 78, 134, 137, 143}) {
    BOOST_TEST(!exitCodeMeaning(code).empty(), code);
    text += std::to_string(code) + ": " + exitCodeMeaning(code) + "\n";
  }
  test::checkGolden("cli/cluster/meanings.txt", text);
  BOOST_TEST(exitCodeMeaning(42).empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::cli::advice_test
