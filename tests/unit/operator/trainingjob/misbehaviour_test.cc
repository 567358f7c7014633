#include "tests/unit/operator/trainingjob/misbehaviour.h"

#include <boost/test/unit_test.hpp>

// What an API server, its other users and its quotas do to a pass.

namespace sumac::trainingjob::misbehaviour_test {
namespace {

using nlohmann::json;
using std::chrono::minutes;
using std::chrono::seconds;

BOOST_FIXTURE_TEST_SUITE(misbehaviour, Misbehaviour)

BOOST_AUTO_TEST_CASE(a_time_out_after_the_server_made_the_pod_makes_no_second_one) {
  cluster.after = refusing(kCreateWorker0, 1, noAnswer());

  const auto result = pass();

  BOOST_TEST(result.failed);
  runs();
  BOOST_TEST(cluster.count(kCreateWorker0) == 1);  // the watch showed it before
}

BOOST_AUTO_TEST_CASE(a_server_that_takes_minutes_for_each_request_does_not_make_a_pass_of_an_hour) {
  restartOperator(/*in_flight=*/0);
  cluster.before = [this](const std::string& asked) -> std::optional<kube::Failure> {
    if (asked.starts_with("create pods/")) advance(minutes(3));
    return std::nullopt;
  };

  const auto result = pass();

  BOOST_TEST(result.failed);                       // so that it comes again
  BOOST_TEST(cluster.count("create pods/") == 2);  // of three
  runs();
  BOOST_TEST(cluster.count("create pods/") == 3);
}

BOOST_AUTO_TEST_CASE(a_time_out_that_the_watch_does_not_explain_is_looked_up) {
  cluster.after = refusing(kCreateWorker0, 1, noAnswer());
  pass();

  const auto result = passWithoutWatch();

  BOOST_TEST(!result.failed);
  BOOST_TEST(cluster.count(kCreateWorker0) == 2);
  BOOST_TEST(cluster.count("get pods/lenet5-worker-0") == 1);
  passWithoutWatch();
  BOOST_TEST(cluster.count(kCreateWorker0) == 2);  // known now
  runs();
}

BOOST_AUTO_TEST_CASE(a_time_out_of_each_child_is_taken_up_where_it_was_left) {
  for (const char* request :
       {"create services/lenet5", "create configmaps/lenet5", "create networkpolicies/lenet5",
        "create secrets/lenet5-keys-uid-1"}) {
    BOOST_TEST_CONTEXT(request) {
      OperatorFixture op;
      op.submit(aManifest());
      op.cluster.after = refusing(request, 1, noAnswer());

      BOOST_TEST(op.pass().failed);
      op.settle();

      BOOST_TEST(op.cluster.names(kube::kPods).size() == 3U);
      // Whose Secret has the name cannot be read: another one gets the next name.
      const bool is_secret = std::string(request).starts_with("create secrets/");
      // The policy of readers begins with the name of the other one.
      const bool is_policy = std::string(request).starts_with("create networkpolicies/");
      BOOST_TEST(op.cluster.count(request) == (is_secret || is_policy ? 3 : 2));
      BOOST_TEST(op.cluster.count("get secrets") == 0);  // the operator may not
    }
  }
}

BOOST_AUTO_TEST_CASE(a_foreign_pod_is_named_left_alone_and_looked_at_later) {
  cluster.put(kube::kPods, json::parse(R"({"metadata": {"name": "lenet5-worker-0",
      "namespace": "research", "uid": "theirs"}})"));
  settle();

  BOOST_TEST(reasonOf("Running") == "NameTaken");
  BOOST_TEST(events.has("NameTaken"));
  const int tries = cluster.count(kCreateWorker0);
  BOOST_TEST(tries == 1);
  const auto result = pass();
  BOOST_TEST(!result.failed);
  BOOST_TEST((result.again_after.value_or(minutes(9)) <= seconds(10)));
  BOOST_TEST(cluster.count(kCreateWorker0) == tries);

  advance(seconds(11));
  pass();
  BOOST_TEST(cluster.count(kCreateWorker0) == tries + 1);
  BOOST_TEST(cluster.find(kube::kPods, "lenet5-worker-0")["metadata"]["uid"] == "theirs");

  cluster.erase(kube::kPods, "lenet5-worker-0");
  advance(seconds(21));
  runs();
}

BOOST_AUTO_TEST_CASE(a_foreign_service_keeps_all_pods_from_being_made) {
  cluster.put(kube::kServices, json::parse(R"({"metadata": {"name": "lenet5",
      "namespace": "research", "uid": "theirs"}})"));
  settle();

  BOOST_TEST(reasonOf("Running") == "NameTaken");
  BOOST_TEST(cluster.count("create pods/") == 0);
  BOOST_TEST(!cluster.has(kube::kConfigMaps, "lenet5"));

  cluster.erase(kube::kServices, "lenet5");
  advance(seconds(11));
  runs();
}

BOOST_AUTO_TEST_CASE(a_predecessors_pod_that_is_going_is_waited_for) {
  cluster.put(kube::kPods, json::parse(R"({"metadata": {"name": "lenet5-worker-0",
      "namespace": "research", "uid": "old", "deletionTimestamp": "2026-01-31T12:00:00Z",
      "labels": {"sumac.dev/job-name": "lenet5"},
      "ownerReferences": [{"uid": "predecessor", "controller": true}]}})"));
  settle();

  BOOST_TEST(cluster.names(kube::kPods).size() == 3U);
  BOOST_TEST(!events.has("NameTaken"));
  cluster.erase(kube::kPods, "lenet5-worker-0");
  advance(seconds(3));
  runs();
}

BOOST_AUTO_TEST_CASE(a_full_quota_does_not_stop_the_restart_of_a_job_that_has_all_its_children) {
  settle();
  runPods();
  settle();
  cluster.before = [](const std::string& asked) -> std::optional<kube::Failure> {
    if (!asked.starts_with("create ") || asked.starts_with("create pods/")) return std::nullopt;
    return failureOf(403, "Forbidden", asked + " is forbidden: exceeded quota: few");
  };
  endPod("lenet5-worker-1", 137, "");
  for (int i = 0; i < 5; ++i) {
    settle();
    finishDeletions();
    advance(seconds(60));
  }

  runs();
  BOOST_TEST(status()["attempt"] == 1);
  BOOST_TEST(!events.has("QuotaExceeded"));
  const std::map<std::string, int> children{
      {"services", 1}, {"configmaps", 1}, {"networkpolicies", 2}};
  for (const auto& [kind, number] : children) {
    BOOST_TEST(cluster.count("create " + kind) == number);
    BOOST_TEST(cluster.count("get " + kind) == number);
  }
}

BOOST_AUTO_TEST_CASE(a_secret_of_a_name_of_ours_is_not_used_before_the_config_map_stands_for_it) {
  cluster.put(kube::kSecrets, json::parse(R"({"metadata": {"name": "lenet5-keys-uid-1",
      "namespace": "research", "uid": "theirs"}})"));
  runs();

  const json pod = cluster.find(kube::kPods, "lenet5-worker-0");
  BOOST_TEST(pod.dump().find("\"secretName\":\"lenet5-keys-uid-1-1\"") != std::string::npos);
  BOOST_TEST(cluster.has(kube::kSecrets, "lenet5-keys-uid-1-1"));

  // Another operator mounts the same.
  restartOperator();
  endPod("lenet5-worker-1", 137, "");
  for (int i = 0; i < 5; ++i) {
    settle();
    finishDeletions();
    advance(seconds(60));
  }
  runs();
  const json again = cluster.find(kube::kPods, "lenet5-worker-0");
  BOOST_TEST(again.dump().find("\"secretName\":\"lenet5-keys-uid-1-1\"") != std::string::npos);
  BOOST_TEST(cluster.names(kube::kSecrets).size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_job_whose_secret_has_no_free_name_says_so) {
  for (int i = 0; i < 10; ++i) {
    const std::string number = i == 0 ? "" : "-" + std::to_string(i);
    cluster.put(kube::kSecrets, {{"metadata",
                                  {{"name", "lenet5-keys-uid-1" + number},
                                   {"namespace", "research"},
                                   {"uid", "theirs" + number}}}});
  }
  settle();
  BOOST_TEST(reasonOf("Running") == "NameTaken");
  BOOST_TEST(cluster.count("create pods/") == 0);

  cluster.erase(kube::kSecrets, "lenet5-keys-uid-1");
  advance(seconds(11));
  runs();
}

BOOST_AUTO_TEST_CASE(keys_that_were_made_for_fewer_slots_are_not_used) {
  cluster.before = refusing("create configmaps/lenet5", 1000,
                            failureOf(403, "Forbidden", "exceeded quota: few"));
  settle();
  cluster.change(kube::kTrainingJobs, "lenet5", [](json& job) {
    job["spec"]["worker"]["replicas"] = 4;
    job["spec"]["suspend"] = true;
    job["metadata"]["generation"] = 2;
  });
  settle();
  cluster.before = nullptr;
  cluster.change(kube::kTrainingJobs, "lenet5", [](json& job) {
    job["spec"]["suspend"] = false;
    job["metadata"]["generation"] = 3;
  });
  settle();

  BOOST_TEST(cluster.names(kube::kPods).size() == 5U);
  const json secret = cluster.find(kube::kSecrets, "lenet5-keys-uid-1-1");
  BOOST_TEST_REQUIRE(!secret.is_null());
  BOOST_TEST(secret["stringData"].contains("worker-3"));
}

BOOST_AUTO_TEST_CASE(a_secret_that_somebody_deleted_is_created_again_after_a_failed_request) {
  runs();
  cluster.erase(kube::kSecrets, "lenet5-keys-uid-1");
  const int before = cluster.count("create secrets/");
  cluster.before =
      refusing("create secrets/lenet5-keys-uid-1", 1, failureOf(500, "InternalError", "why"));
  endPod("lenet5-worker-1", 137, "");
  for (int i = 0; i < 5; ++i) {
    settle();
    finishDeletions();
    advance(seconds(60));
  }
  runs();
  BOOST_TEST(cluster.count("create secrets/") >= before + 2);  // it failed once
  BOOST_TEST(cluster.has(kube::kSecrets, "lenet5-keys-uid-1"));
}

BOOST_AUTO_TEST_CASE(a_conflict_on_the_status_is_made_again_from_what_stands) {
  pass();
  runPods();
  cluster.deliver();
  cluster.change(kube::kTrainingJobs, "lenet5",
                 [](json& job) { job["metadata"]["labels"]["touched"] = "yes"; });

  const auto result = passWithoutWatch();

  BOOST_TEST(result.failed);
  BOOST_TEST(!events.has("Running"));  // only after the write worked
  runs();
  BOOST_TEST(events.has("Running"));
  BOOST_TEST(cluster.find(kube::kTrainingJobs, "lenet5")["metadata"]["labels"]["touched"] == "yes");
}

BOOST_AUTO_TEST_CASE(a_leader_that_lost_its_lease_in_mid_pass_sends_nothing_more) {
  cluster.before = [this](const std::string& request) -> std::optional<kube::Failure> {
    if (request.starts_with("create configmaps/")) stop.request_stop();
    return std::nullopt;
  };
  pass();

  BOOST_TEST(cluster.count("create configmaps/") == 1);
  BOOST_TEST(cluster.count("create pods/") == 0);
  BOOST_TEST(cluster.count("replace ") == 1);  // the status before
}

BOOST_AUTO_TEST_CASE(no_answer_at_all_changes_nothing_and_is_tried_again) {
  cluster.before = [](const std::string&) { return std::optional(noAnswer()); };
  for (int i = 0; i < 3; ++i)
    BOOST_TEST(pass().failed);
  cluster.before = nullptr;
  cluster.forgetRequests();
  runs();
  BOOST_TEST(cluster.count("create ") == 8);
}

BOOST_AUTO_TEST_CASE(a_spec_that_cannot_run_fails_with_the_whole_message_and_makes_nothing) {
  json manifest = aManifest("broken");
  manifest["spec"]["model"]["name"] = "lenet6";
  submit(manifest);
  settle("broken");

  BOOST_TEST(isTrue("Failed", "broken"));
  BOOST_TEST(reasonOf("Failed", "broken") == "InvalidSpec");
  BOOST_TEST(cluster.count("create ") == 0);
}

BOOST_AUTO_TEST_CASE(a_job_of_another_manager_is_not_touched) {
  json manifest = aManifest("theirs");
  manifest["spec"]["managedBy"] = "kueue.x-k8s.io/multikueue";
  submit(manifest);
  settle("theirs");
  BOOST_TEST(cluster.requests().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::misbehaviour_test
