#include <algorithm>

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/operator_fixture.h"

// Operators, jobs and pods that end and come again.

namespace sumac::trainingjob::lives_test {
namespace {

using nlohmann::json;
using std::chrono::seconds;

struct Lives : OperatorFixture {
  Lives() { submit(aManifest()); }

  void start() {
    settle();
    runPods();
    settle();
  }
};

BOOST_FIXTURE_TEST_SUITE(lives, Lives)

BOOST_AUTO_TEST_CASE(a_new_operator_reads_the_config_map_once_and_writes_nothing) {
  start();
  cluster.forgetRequests();
  restartOperator();

  settle();
  settle();

  BOOST_TEST(cluster.requests() == std::vector<std::string>{"get configmaps/lenet5"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(pods_made_by_a_later_operator_have_the_image_of_the_job) {
  start();
  defaults.worker_image = "sumac-worker:2";
  defaults.server_image = "sumac-server:2";
  restartOperator();
  endPod("lenet5-worker-1", 137, "");
  for (int i = 0; i < 5; ++i) {
    settle();
    finishDeletions();
    advance(seconds(60));
  }

  const json pod = cluster.find(kube::kPods, "lenet5-worker-1");
  BOOST_TEST_REQUIRE(!pod.is_null());
  BOOST_TEST(pod["metadata"]["labels"]["sumac.dev/attempt"] == "1");
  BOOST_TEST(pod["spec"]["containers"][0]["image"] == "sumac-worker:1");
}

BOOST_AUTO_TEST_CASE(what_somebody_deleted_of_a_job_is_there_again_for_its_next_attempt) {
  start();
  const auto secret = cluster.names(kube::kSecrets).at(0);
  cluster.erase(kube::kServices, "lenet5");
  cluster.erase(kube::kConfigMaps, "lenet5");
  cluster.erase(kube::kSecrets, secret);
  endPod("lenet5-worker-1", 137, "");
  for (int i = 0; i < 5; ++i) {
    settle();
    finishDeletions();
    advance(seconds(60));
  }

  BOOST_TEST(cluster.find(kube::kPods,
                          "lenet5-worker-1")["metadata"]["labels"]["sumac.dev/attempt"] == "1");
  BOOST_TEST(cluster.has(kube::kServices, "lenet5"));
  BOOST_TEST(cluster.has(kube::kConfigMaps, "lenet5"));
  BOOST_TEST(cluster.has(kube::kSecrets, secret));
}

BOOST_AUTO_TEST_CASE(an_operator_that_dies_before_the_first_status_after_its_children_is_followed) {
  // Its predecessor's status never stood, but its ConfigMap does: with other images.
  OperatorFixture old;
  old.submit(aManifest());
  old.pass();
  json config_map = old.cluster.find(kube::kConfigMaps, "lenet5");
  const std::string ours =
      cluster.find(kube::kTrainingJobs, "lenet5")["metadata"]["uid"].get<std::string>();
  config_map["metadata"]["ownerReferences"][0]["uid"] = ours;
  cluster.put(kube::kConfigMaps, config_map);
  defaults.worker_image = "sumac-worker:2";
  restartOperator();

  start();

  BOOST_TEST(cluster.find(kube::kPods, "lenet5-worker-0")["spec"]["containers"][0]["image"] ==
             "sumac-worker:1");
}

/// Kills the operator after each single request of a whole life with one restart, and lets another
/// one go on.
BOOST_AUTO_TEST_CASE(an_operator_killed_after_any_request_is_followed_without_a_trace) {
  int kill_after = 0;
  bool is_reached = true;
  while (is_reached) {
    ++kill_after;
    BOOST_TEST_CONTEXT("killed after request " << kill_after) {
      OperatorFixture op;
      op.submit(aManifest());
      int requests = 0;
      // From then on nothing that the old process sends arrives.
      bool is_dead = false;
      op.cluster.before = [&](const std::string&) -> std::optional<kube::Failure> {
        if (is_dead) return failureOf(0, "", "killed");
        is_dead = ++requests == kill_after + 1;
        return is_dead ? std::optional(failureOf(0, "", "killed")) : std::nullopt;
      };
      const auto settleWithDeath = [&] {
        op.settle();
        if (!is_dead) return;
        is_dead = false;
        requests = kill_after + 2;  // never again
        op.restartOperator();
        op.settle();
      };
      settleWithDeath();
      op.runPods();
      settleWithDeath();
      op.endPod("lenet5-worker-1", 137, "");
      for (int i = 0; i < 6; ++i) {
        settleWithDeath();
        op.finishDeletions();
        op.advance(seconds(60));
      }
      op.runPods();
      settleWithDeath();
      is_reached = requests > kill_after;

      const json status = op.status();
      BOOST_TEST(op.isTrue("Running"), status.dump());
      BOOST_TEST(status.value("attempt", -1) == 1);
      BOOST_TEST(status.value("restarts", -1) == 1);
      BOOST_TEST(op.cluster.names(kube::kPods).size() == 3U);
      BOOST_TEST(kill_after < 60);
    }
  }
  BOOST_TEST(kill_after > 15);
}

// The watch of a standby may be broken unnoticed for longer than a takeover takes.
BOOST_AUTO_TEST_CASE(a_new_leader_whose_cache_is_old_asks_before_it_takes_a_member_for_lost) {
  start();
  const json hidden = cluster.find(kube::kPods, "lenet5-worker-1");
  cluster.pods.remove(hidden);
  restartOperator();
  cluster.forgetRequests();

  for (int i = 0; i < 3; ++i)
    passWithoutWatch();
  BOOST_TEST(cluster.count("get pods/lenet5-worker-1") == 1);
  advance(seconds(31));  // and the watch still does not show it
  for (int i = 0; i < 3; ++i)
    passWithoutWatch();
  BOOST_TEST(cluster.count("get pods/lenet5-worker-1") == 2);
  BOOST_TEST(cluster.count("remove ") + cluster.count("replace ") + cluster.count("create ") == 0);
  BOOST_TEST(isTrue("Running"));

  // The API server does not answer: nothing is decided.
  advance(seconds(31));
  cluster.before = [](const std::string&) { return std::optional(failureOf(0, "", "no answer")); };
  BOOST_TEST(passWithoutWatch().failed);
  cluster.before = nullptr;
  BOOST_TEST(status().value("attempt", -1) == 0);

  cluster.erase(kube::kPods, "lenet5-worker-1");
  passWithoutWatch();
  BOOST_TEST(status().value("attempt", -1) == 1);
  BOOST_TEST(status().value("disruptions", -1) == 1);
}

BOOST_AUTO_TEST_CASE(a_job_remade_under_its_name_waits_for_the_pods_of_the_first) {
  start();
  const std::string first =
      cluster.find(kube::kPods, "lenet5-worker-0")["metadata"]["uid"].get<std::string>();
  cluster.erase(kube::kTrainingJobs, "lenet5");
  submit(aManifest());
  settle();
  // Garbage collection has not begun: the children are still the predecessor's.
  BOOST_TEST(cluster.find(kube::kPods, "lenet5-worker-0")["metadata"]["uid"] == first);
  BOOST_TEST(!isTrue("Running"));

  for (const char* name : {"lenet5-worker-0", "lenet5-worker-1", "lenet5-server-0"})
    cluster.erase(kube::kPods, name);
  cluster.erase(kube::kServices, "lenet5");
  cluster.erase(kube::kConfigMaps, "lenet5");
  for (const std::string& name : cluster.names(kube::kNetworkPolicies))
    cluster.erase(kube::kNetworkPolicies, name);
  advance(seconds(120));
  start();

  BOOST_TEST(isTrue("Running"));
  BOOST_TEST(cluster.find(kube::kPods, "lenet5-worker-0")["metadata"]["uid"] != first);
  BOOST_TEST(status().value("attempt", -1) == 0);
}

BOOST_AUTO_TEST_CASE(a_job_suspended_while_its_pods_are_made_ends_with_none) {
  cluster.before = [](const std::string& request) -> std::optional<kube::Failure> {
    if (request == "create pods/lenet5-worker-1") return failureOf(0, "", "no answer");
    return std::nullopt;
  };
  pass();
  cluster.before = nullptr;
  cluster.change(kube::kTrainingJobs, "lenet5", [](json& job) {
    job["spec"]["suspend"] = true;
    job["metadata"]["generation"] = 2;
  });
  for (int i = 0; i < 4; ++i) {
    settle();
    finishDeletions();
  }

  BOOST_TEST(isTrue("Suspended"));
  BOOST_TEST(cluster.names(kube::kPods).empty());

  cluster.change(kube::kTrainingJobs, "lenet5", [](json& job) {
    job["spec"]["suspend"] = false;
    job["metadata"]["generation"] = 3;
  });
  start();
  BOOST_TEST(isTrue("Running"));
  BOOST_TEST(cluster.names(kube::kPods).size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_job_with_a_time_to_live_of_0_deletes_itself_and_no_successor) {
  cluster.change(kube::kTrainingJobs, "lenet5",
                 [](json& job) { job["spec"]["runPolicy"]["ttlSecondsAfterFinished"] = 0; });
  start();
  endPod("lenet5-worker-0", 0, kResultMessage);
  cluster.before = [](const std::string& request) -> std::optional<kube::Failure> {
    if (request.starts_with("remove trainingjobs/")) return failureOf(0, "", "no answer");
    return std::nullopt;
  };
  for (int i = 0; i < 5 && cluster.count("remove trainingjobs/") == 0; ++i) {
    settle();
    finishDeletions();
    advance(seconds(20));
  }
  BOOST_TEST_REQUIRE(cluster.count("remove trainingjobs/") > 0);
  cluster.before = nullptr;

  // A user was faster, and has submitted the next one; the cache still has the old one.
  const json old = cluster.find(kube::kTrainingJobs, "lenet5");
  cluster.erase(kube::kTrainingJobs, "lenet5");
  submit(aManifest());
  cluster.forgetRequests();
  passWithoutWatch();
  BOOST_TEST(cluster.count("remove trainingjobs/") == 1);
  BOOST_TEST(cluster.has(kube::kTrainingJobs, "lenet5"));

  cluster.erase(kube::kTrainingJobs, "lenet5");
  cluster.put(kube::kTrainingJobs, old);
  settle();
  BOOST_TEST(!cluster.has(kube::kTrainingJobs, "lenet5"));
}

BOOST_AUTO_TEST_CASE(a_pod_of_a_finished_job_that_is_deleted_is_not_made_again) {
  start();
  endPod("lenet5-worker-0", 0, kResultMessage);
  settle();
  BOOST_TEST(isTrue("Succeeded"));
  cluster.erase(kube::kPods, "lenet5-worker-0");
  cluster.forgetRequests();
  settle();
  restartOperator();
  settle();
  BOOST_TEST(cluster.count("create ") == 0);
  BOOST_TEST(cluster.count("get ") == 0);
}

BOOST_AUTO_TEST_CASE(a_hundred_jobs_cost_exactly_their_objects_and_three_writes_each) {
  constexpr int kJobs = 100;
  cluster.erase(kube::kTrainingJobs, "lenet5");
  cluster.deliver();
  const auto name = [](int i) { return "job-" + std::to_string(i); };
  const auto passAll = [&] {
    cluster.deliver();
    for (int i = 0; i < kJobs; ++i)
      passWithoutWatch(name(i));
  };
  for (int i = 0; i < kJobs; ++i)
    submit(aManifest(name(i), 2, 1));
  for (int i = 0; i < 3; ++i)
    passAll();
  for (const std::string& pod : cluster.names(kube::kPods)) {
    cluster.change(kube::kPods, pod, [](json& object) {
      object["status"] = json::parse(R"({"phase": "Running",
        "conditions": [{"type": "Ready", "status": "True"}],
        "containerStatuses": [{"name": "sumac", "state": {"running": {}}}]})");
    });
  }
  for (int i = 0; i < 3; ++i)
    passAll();
  for (int i = 0; i < kJobs; ++i)
    endPod(name(i) + "-worker-0", 0, kResultMessage);
  for (int i = 0; i < 3; ++i)
    passAll();

  BOOST_TEST(cluster.count("create ") == 8 * kJobs);
  BOOST_TEST(cluster.count("replace ") == 3 * kJobs);
  BOOST_TEST(cluster.count("get ") == 0);
  BOOST_TEST(cluster.count("remove ") == 0);  // clean-up comes after a moment
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::lives_test
