#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/misbehaviour.h"

// Requests that an API server refuses or does not answer for long: what is said of them, and how
// often they are tried.

namespace sumac::trainingjob::lasting_trouble_test {
namespace {

using nlohmann::json;
using std::chrono::minutes;
using std::chrono::seconds;

BOOST_FIXTURE_TEST_SUITE(lasting_trouble, Misbehaviour)

BOOST_AUTO_TEST_CASE(a_pod_that_the_server_refuses_is_said_once_and_tried_rarely) {
  cluster.before = refusing(kCreateWorker0, 1000, failureOf(422, "Invalid", "bad nodeSelector"));
  settle();

  BOOST_TEST(reasonOf("Running") == "PodRefused");
  BOOST_TEST(events.has("PodRefused"));
  const auto writes = cluster.count("replace ");
  const auto said = events.reasons.size();
  BOOST_TEST(cluster.count(kCreateWorker0) == 1);
  int tries = 1;
  for (const int pause : {10, 20, 40, 80, 120, 120}) {
    advance(seconds(pause - 1));
    pass();
    BOOST_TEST(cluster.count(kCreateWorker0) == tries);
    advance(seconds(1));
    settle();
    BOOST_TEST(cluster.count(kCreateWorker0) == ++tries);
  }
  BOOST_TEST(cluster.count("replace ") == writes);
  BOOST_TEST(events.reasons.size() == said);

  // A new generation may have repaired it: tried at once.
  cluster.change(kube::kTrainingJobs, "lenet5",
                 [](json& job) { job["metadata"]["generation"] = 2; });
  cluster.before = nullptr;
  runs();
}

BOOST_AUTO_TEST_CASE(a_quota_that_rejects_more_workers_does_not_delay_those_that_fit) {
  json manifest = aManifest();
  manifest["spec"]["training"]["logicalWorkers"] = 4;
  manifest["spec"]["worker"].update({{"minReplicas", 1}, {"maxReplicas", 4}});
  manifest["spec"]["runPolicy"]["scaleFitSeconds"] = 20;
  submit(manifest);
  runs();
  bool is_full = true;
  cluster.before = [&](const std::string& asked) -> std::optional<kube::Failure> {
    if (!is_full || asked != kCreateWorker0) return std::nullopt;
    return failureOf(403, "Forbidden", "pods is forbidden: exceeded quota: small");
  };
  cluster.change(kube::kTrainingJobs, "lenet5", [](json& job) {
    job["spec"]["worker"]["replicas"] = 4;
    job["metadata"]["generation"] = 2;
  });
  const auto makePodsAgain = [&] {
    for (int wave = 0; wave < 3; ++wave) {
      settle();
      finishDeletions();
    }
    settle();
  };
  makePodsAgain();
  advance(seconds(10));
  settle();
  BOOST_TEST(reasonOf("Running") == "QuotaExceeded");
  advance(seconds(10));
  settle();
  BOOST_TEST(events.has("ScaleDoesNotFit"));

  is_full = false;  // two workers are fewer than four
  makePodsAgain();

  runs();
  BOOST_TEST(status()["attempt"] == 2);
  BOOST_TEST(status()["workers"] == "2/2");
}

BOOST_AUTO_TEST_CASE(a_quota_is_told_from_other_refusals_and_ends_with_room) {
  cluster.before = refusing(
      kCreateWorker0, 1,
      failureOf(403, "Forbidden", "pods is forbidden: exceeded quota: small, requested: pods=1"));
  settle();
  BOOST_TEST(reasonOf("Running") == "QuotaExceeded");

  advance(seconds(10));
  runs();
}

BOOST_AUTO_TEST_CASE(a_quota_that_has_room_again_is_asked_at_once) {
  cluster.before = refusing(
      kCreateWorker0, 3,
      failureOf(403, "Forbidden",
                "exceeded quota: small, requested: pods=1, used: pods=3, limited: pods=3"));
  quotas.give("small", 3, 3);
  settle();
  advance(seconds(10));
  settle();
  advance(seconds(20));
  settle();
  BOOST_TEST(reasonOf("Running") == "QuotaExceeded");
  const int tries = cluster.count(kCreateWorker0);
  // Held back for 40 s. Room that came at once is tried after 4 s: what is known may be older.
  quotas.give("small", 3, 2);
  settle();
  BOOST_TEST(cluster.count(kCreateWorker0) == tries);
  BOOST_TEST((pass().again_after.value() <= Duration(seconds(4))));
  advance(seconds(4));
  runs();
}

BOOST_AUTO_TEST_CASE(a_request_that_fails_for_30_s_is_said_once_and_tried_rarely) {
  const auto webhook = failureOf(500, "InternalError",
                                 "failed calling webhook \"pods.example\": connection refused");
  cluster.before = refusing(kCreateWorker0, 1000, webhook);

  failFor30s("Pending");

  BOOST_TEST(status().dump().find("failed calling webhook") != std::string::npos);
  BOOST_TEST(events.has("RequestFailing"));
  const auto writes = cluster.count("replace ");
  const int tries = cluster.count(kCreateWorker0);
  const auto said = events.reasons.size();
  advance(seconds(9));
  BOOST_TEST(!pass().failed);
  BOOST_TEST(cluster.count(kCreateWorker0) == tries);
  advance(seconds(1));
  settle();
  BOOST_TEST(cluster.count(kCreateWorker0) == tries + 1);
  BOOST_TEST(cluster.count("replace ") == writes);
  BOOST_TEST(events.reasons.size() == said);

  cluster.before = nullptr;
  advance(seconds(20));
  runs();
}

BOOST_AUTO_TEST_CASE(a_trouble_that_passed_does_not_count_towards_the_next) {
  cluster.before = refusing(kCreateWorker0, 1, noAnswer());
  pass();
  runs();
  advance(seconds(3600));
  cluster.erase(kube::kPods, "lenet5-worker-0");
  cluster.before = refusing(kCreateWorker0, 1, noAnswer());
  for (int i = 0; i < 4; ++i) {
    settle();
    finishDeletions();
  }
  BOOST_TEST(!events.has("RequestFailing"));
}

BOOST_AUTO_TEST_CASE(a_deletion_that_fails_for_30_s_is_said) {
  runs();
  cluster.before = [](const std::string& asked) -> std::optional<kube::Failure> {
    if (!asked.starts_with("remove pods/")) return std::nullopt;
    return failureOf(500, "InternalError", "failed calling webhook");
  };
  endPod("lenet5-worker-1", 137, "");
  settle();
  BOOST_TEST(status()["attempt"] == 1);
  advance(seconds(30));
  settle();
  BOOST_TEST(reasonOf("Running") == "RequestFailing");
  BOOST_TEST(status().dump().find("deletion of pod lenet5-") != std::string::npos);

  cluster.before = nullptr;
  for (int i = 0; i < 4; ++i) {
    advance(seconds(60));
    settle();
    finishDeletions();
  }
  runs();
}

BOOST_AUTO_TEST_CASE(a_deletion_that_fails_for_30_s_is_said_while_a_job_is_suspended) {
  runs();
  cluster.before = [](const std::string& asked) -> std::optional<kube::Failure> {
    if (!asked.starts_with("remove pods/")) return std::nullopt;
    return failureOf(500, "InternalError", "failed calling webhook");
  };
  const auto suspend = [](json& job) {
    job["spec"]["suspend"] = true;
    job["metadata"]["generation"] = 2;
  };
  cluster.change(kube::kTrainingJobs, "lenet5", suspend);
  settle();
  BOOST_TEST(reasonOf("Running") == "Suspending");
  advance(seconds(30));
  settle();

  BOOST_TEST(reasonOf("Running") == "RequestFailing");
  BOOST_TEST(reasonOf("Suspended") == "Suspending");
  BOOST_TEST(status()["state"] == "Suspending");
  BOOST_TEST(status().dump().find("failed calling webhook") != std::string::npos);
  BOOST_TEST(std::count(events.reasons.begin(), events.reasons.end(), "RequestFailing") == 1);

  cluster.before = nullptr;
  advance(seconds(60));
  for (int i = 0; i < 2; ++i) {
    settle();
    finishDeletions();
  }
  settle();
  BOOST_TEST(isTrue("Suspended"));
  BOOST_TEST(reasonOf("Running") == "Suspended");
}

BOOST_AUTO_TEST_CASE(a_deletion_that_is_held_back_does_not_hold_that_of_the_next_pod_of_the_name) {
  runs();
  cluster.before = [](const std::string& asked) -> std::optional<kube::Failure> {
    if (!asked.starts_with("remove pods/")) return std::nullopt;
    return failureOf(500, "InternalError", "failed calling webhook");
  };
  endPod("lenet5-worker-1", 137, "");
  for (int i = 0; i < 6; ++i) {
    settle();
    advance(seconds(60));
  }
  settle();
  BOOST_TEST(reasonOf("Running") == "RequestFailing");
  for (const std::string& name : cluster.names(kube::kPods))
    cluster.erase(kube::kPods, name);  // by a node that works again
  cluster.before = nullptr;
  runs();
  cluster.forgetRequests();

  endPod("lenet5-worker-1", 137, "");
  settle();

  BOOST_TEST(cluster.count("remove pods/lenet5-worker-") >= 2);
  BOOST_TEST(reasonOf("Running") != "RequestFailing");
}

BOOST_AUTO_TEST_CASE(a_look_up_that_fails_for_30_s_is_said_and_tried_rarely) {
  runs();
  cluster.erase(kube::kPods, "lenet5-worker-1");
  const std::string look_up = "get pods/lenet5-worker-1";
  cluster.before = refusing(look_up, 1000, failureOf(503, "ServiceUnavailable", "etcd is away"));

  failFor30s("Running");

  BOOST_TEST(isTrue("Running"));
  BOOST_TEST(status().dump().find("etcd is away") != std::string::npos);
  BOOST_TEST(status()["attempt"] == 0);
  const int tries = cluster.count(look_up);
  advance(seconds(9));
  const auto result = pass();
  BOOST_TEST(!result.failed);
  BOOST_TEST((result.again_after.value_or(minutes(9)) <= seconds(1)));
  BOOST_TEST(cluster.count(look_up) == tries);

  cluster.before = nullptr;
  advance(seconds(1));
  settle();
  BOOST_TEST(status()["attempt"] == 1);
  BOOST_TEST(status()["lastFailure"]["reason"] == "PodDeleted");
  BOOST_TEST(std::count(events.reasons.begin(), events.reasons.end(), "RequestFailing") == 1);
}

BOOST_AUTO_TEST_CASE(requests_that_the_operator_ends_itself_do_not_count_as_failing) {
  auto stopped = noAnswer();
  stopped.is_stopped = true;
  cluster.before = refusing(kCreateWorker0, 1000, stopped);
  for (int i = 0; i < 3; ++i) {
    BOOST_TEST(pass().failed);
    advance(seconds(30));
  }
  BOOST_TEST(!events.has("RequestFailing"));
}

BOOST_AUTO_TEST_CASE(a_finished_job_whose_pods_cannot_be_deleted_is_tried_with_pauses) {
  runs();
  cluster.before = [](const std::string& asked) -> std::optional<kube::Failure> {
    if (!asked.starts_with("remove pods/")) return std::nullopt;
    return failureOf(500, "InternalError", "failed calling webhook");
  };
  endPod("lenet5-worker-0", 0, kResultMessage);
  settle();
  for (int i = 0; i < 4; ++i) {
    advance(seconds(60));
    BOOST_TEST(pass().failed);  // the queue's back-off
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::lasting_trouble_test
