#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

#include "kube/api/json.h"
#include "tests/support/golden.h"

namespace sumac::api::pod_json_test {
namespace {

using nlohmann::json;

json aPod() {
  return json::parse(R"({
    "metadata": {
      "name": "lenet5-worker-3", "namespace": "research", "uid": "u-1", "resourceVersion": "77",
      "creationTimestamp": "2026-01-31T12:00:00Z",
      "labels": {"sumac.dev/job-name": "lenet5", "sumac.dev/role": "worker",
                 "sumac.dev/replica-index": "3", "sumac.dev/attempt": "2", "team": "vision"},
      "annotations": {"sumac.dev/template-hash": "abc", "huge": "left out"},
      "ownerReferences": [{"uid": "someone"}, {"uid": "job-uid", "controller": true}]},
    "spec": {"nodeName": "node-a", "containers": [{"name": "sumac"}]},
    "status": {
      "phase": "Running", "podIP": "10.0.0.7",
      "conditions": [{"type": "Ready", "status": "True"},
                     {"type": "PodScheduled", "status": "True"}],
      "containerStatuses": [
        {"name": "istio-proxy", "state": {"terminated": {"exitCode": 9}}},
        {"name": "sumac", "state": {"running": {"startedAt": "2026-01-31T12:00:01Z"}}}]}})");
}

Pod read(const json& object) {
  const auto pod = podFromJson(object);
  BOOST_REQUIRE_MESSAGE(pod.has_value(), (pod ? "" : pod.error().message));
  return *pod;
}

std::string problemOf(const json& object) {
  const auto pod = podFromJson(object);
  BOOST_TEST_REQUIRE(!pod.has_value());
  BOOST_TEST(pod.error().code == ErrorCode::kInvalid);
  return pod.error().message;
}

BOOST_AUTO_TEST_SUITE(pod_json)

BOOST_AUTO_TEST_CASE(a_running_member_is_read_without_what_nobody_uses) {
  const Pod pod = read(aPod());

  BOOST_TEST(pod.meta.key.text() == "research/lenet5-worker-3");
  BOOST_TEST(pod.meta.uid == "u-1");
  BOOST_TEST(pod.meta.controller_uid == "job-uid");
  BOOST_TEST(pod.is_ours);
  BOOST_TEST((pod.slot == Slot{Role::kWorker, 3}));
  BOOST_TEST(pod.attempt == 2);
  BOOST_TEST((pod.phase == PodPhase::kRunning));
  BOOST_TEST(pod.is_ready);
  BOOST_TEST(pod.is_scheduled);
  BOOST_TEST(pod.is_running);
  BOOST_TEST(!pod.terminated.has_value());
  BOOST_TEST(pod.node == "node-a");
  BOOST_TEST(pod.ip == "10.0.0.7");
  BOOST_TEST(!pod.meta.labels.contains("team"));
}

BOOST_AUTO_TEST_CASE(the_end_of_the_main_container_counts_not_that_of_a_sidecar) {
  json object = aPod();
  object["status"]["containerStatuses"][1]["state"] = json::parse(
      R"({"terminated": {"exitCode": 137, "signal": 9, "reason": "OOMKilled", "message": "why",
          "finishedAt": "2026-01-31T12:00:05Z"}})");

  const Pod pod = read(object);

  BOOST_TEST_REQUIRE(pod.terminated.has_value());
  BOOST_TEST(pod.terminated->exit_code == 137);
  BOOST_TEST(pod.terminated->signal == 9);
  BOOST_TEST(pod.terminated->reason == "OOMKilled");
  BOOST_TEST(pod.terminated->message == "why");
  BOOST_TEST(toRfc3339(*pod.terminated->finished) == "2026-01-31T12:00:05Z");
  BOOST_TEST(!pod.is_running);
}

BOOST_AUTO_TEST_CASE(what_keeps_a_pod_from_starting_is_kept_with_its_reason) {
  json object = aPod();
  object["status"] = json::parse(R"({
    "phase": "Pending", "reason": "", "conditions": [
      {"type": "PodScheduled", "status": "False", "reason": "Unschedulable",
       "message": "0/3 nodes are available"},
      {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}],
    "containerStatuses": [{"name": "sumac", "state": {"waiting": {
      "reason": "ImagePullBackOff", "message": "no such image"}}}]})");

  const Pod pod = read(object);

  BOOST_TEST(!pod.is_scheduled);
  BOOST_TEST(pod.unscheduled_reason == "Unschedulable");
  BOOST_TEST(pod.unscheduled_message == "0/3 nodes are available");
  BOOST_TEST(pod.disruption == "PreemptionByScheduler");
  BOOST_TEST(pod.waiting_reason == "ImagePullBackOff");
  BOOST_TEST(pod.waiting_message == "no such image");
}

BOOST_AUTO_TEST_CASE(an_init_container_that_fails_is_why_the_main_one_waits) {
  json object = aPod();
  object["status"]["containerStatuses"][1]["state"] =
      json::parse(R"({"waiting": {"reason": "PodInitializing"}})");
  object["status"]["initContainerStatuses"] = json::parse(
      R"([{"name": "done", "state": {"terminated": {"exitCode": 0}}},
          {"name": "fetch", "state": {"terminated": {"exitCode": 4, "message": "no data"}}}])");

  const Pod failed = read(object);
  BOOST_TEST(failed.waiting_reason == "InitContainerFailed");

  object["status"]["initContainerStatuses"][1]["state"] =
      json::parse(R"({"waiting": {"reason": "ErrImagePull", "message": "denied"}})");
  const Pod waiting = read(object);
  BOOST_TEST(waiting.waiting_reason == "ErrImagePull");
  test::checkGolden("kube/api/init_container.txt",
                    failed.waiting_message + "\n" + waiting.waiting_message + "\n");
}

BOOST_AUTO_TEST_CASE(a_sidecar_that_crashes_does_not_make_a_running_member_wait) {
  json object = aPod();
  object["status"]["initContainerStatuses"] =
      json::parse(R"([{"name": "side", "state": {"waiting": {"reason": "CrashLoopBackOff"}}}])");

  BOOST_TEST(read(object).waiting_reason.empty());
}

BOOST_AUTO_TEST_CASE(labels_that_cannot_be_read_make_no_member) {
  for (const char* index : {"", "x", "-1", "03", "+3", "3 ", "99999999999999999999"}) {
    BOOST_TEST_CONTEXT(index) {
      json object = aPod();
      object["metadata"]["labels"]["sumac.dev/replica-index"] = index;
      BOOST_TEST(!read(object).is_ours);
    }
  }
  for (const char* label : {"sumac.dev/job-name", "sumac.dev/role", "sumac.dev/attempt"}) {
    BOOST_TEST_CONTEXT(label) {
      json object = aPod();
      object["metadata"]["labels"].erase(label);
      BOOST_TEST(!read(object).is_ours);
    }
  }
  json object = aPod();
  object["metadata"]["labels"]["sumac.dev/attempt"] = "2000000000";  // no job comes so far
  BOOST_TEST(!read(object).is_ours);
  object = aPod();
  object["metadata"]["labels"]["sumac.dev/role"] = "chief";
  BOOST_TEST(!read(object).is_ours);
}

BOOST_AUTO_TEST_CASE(a_pod_that_is_being_deleted_shows_when_and_with_which_grace) {
  json object = aPod();
  object["metadata"]["deletionTimestamp"] = "2026-01-31T12:00:30Z";
  object["metadata"]["deletionGracePeriodSeconds"] = 30;

  const Pod pod = read(object);

  BOOST_TEST(toRfc3339(*pod.meta.deleted) == "2026-01-31T12:00:30Z");
  BOOST_TEST(pod.grace_seconds.value_or(-1) == 30);
}

BOOST_AUTO_TEST_CASE(a_pod_without_a_status_is_pending) {
  json object = aPod();
  object.erase("status");
  BOOST_TEST((read(object).phase == PodPhase::kPending));
  object["status"]["phase"] = "Dreaming";
  BOOST_TEST((read(object).phase == PodPhase::kUnknown));
}

BOOST_AUTO_TEST_CASE(wrong_types_are_refused_by_the_name_of_the_field) {
  struct Case {
    const char* pointer;
    const char* value;
    const char* path;
  };
  const Case cases[] = {
      {"/metadata/uid", "null", "metadata.uid: "},
      {"/metadata/uid", "7", "metadata.uid: "},
      {"/metadata", "[]", "metadata: "},
      {"/metadata/deletionTimestamp", "\"soon\"", "metadata.deletionTimestamp: "},
      {"/metadata/labels/sumac.dev~1attempt", "1", "metadata.labels[sumac.dev/attempt]: "},
      {"/status", "\"ok\"", "status: "},
      {"/status/podIP", "{}", "status.podIP: "},
      {"/status/conditions", "{}", "status.conditions: "},
      {"/status/conditions/0", "1", "status.conditions[0]: "},
      {"/status/containerStatuses/1/state/terminated/exitCode", "1e30",
       "status.containerStatuses[1].state.terminated.exitCode: "},
      {"/status/containerStatuses/1/state/terminated/exitCode", "4294967296",
       "status.containerStatuses[1].state.terminated.exitCode: "},
  };
  test::Transcript said;
  for (const auto& [pointer, value, path] : cases) {
    json object = aPod();
    object["status"]["containerStatuses"][1]["state"]["terminated"] = json::object();
    object[json::json_pointer(pointer)] = json::parse(value);
    const std::string problem = problemOf(object);
    BOOST_TEST(problem.find(path) != std::string::npos, problem);
    said.add(std::string(pointer) + " is " + value, problem);
  }
  said.add("a list", problemOf(json::parse("[1]")));
  said.add("nothing", problemOf(json()));
  test::checkGolden("kube/api/pod_json.txt", said.text());
}

BOOST_AUTO_TEST_CASE(long_messages_of_others_are_cut_between_characters) {
  json object = aPod();
  std::string text = "x";
  for (int i = 0; i < 5000; ++i)
    text += "ä";
  object["status"]["message"] = text;

  const std::string kept = read(object).message;

  BOOST_TEST(kept.size() == 2047U);  // 2,048 would be half a character
  BOOST_TEST(kept == text.substr(0, 2047));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::api::pod_json_test
