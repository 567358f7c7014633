#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/children/children_fixture.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"
#include "tests/unit/operator/trainingjob/operator_fixture.h"

// The life of a job whose workers sum the gradients: worker 0 takes the place of server 0.

namespace sumac::trainingjob::decentralized_test {
namespace {

using nlohmann::json;

constexpr Slot kWorker2{Role::kWorker, 2};

/// The decisions about a job of three workers.
struct Decisions : JobFixture {
  Decisions() {
    record.servers = 0;
    job.worker_replicas = 3;
  }
};

/// The operator with a job of three workers.
struct Life : OperatorFixture {
  Life() { submit(aManifest("lenet5", 3, 0)); }

  void start() {
    settle();
    runPods();
    settle();
  }
};

BOOST_AUTO_TEST_SUITE(decentralized)

BOOST_FIXTURE_TEST_CASE(has_workers_alone_and_names_worker_0_as_coordinator, Decisions) {
  start();

  const std::vector<std::string> expected = {"worker-0/0", "worker-1/0", "worker-2/0"};
  BOOST_TEST(created == expected, boost::test_tools::per_element());
  BOOST_TEST(status().state == "Running");
  BOOST_TEST(status().workers == "3/3");
  BOOST_TEST(status().coordinator == "lenet5-worker-0");
  BOOST_CHECK(status().server == api::ReplicaStatus{});
}

BOOST_FIXTURE_TEST_CASE(suspends_in_two_waves_with_worker_0_last, Decisions) {
  start();
  job.suspend = true;
  settle();
  const std::vector<std::string> first = {"lenet5-worker-1", "lenet5-worker-2"};
  BOOST_TEST(deleted == first, boost::test_tools::per_element());
  end(kWorker1, 143);
  settle();
  BOOST_TEST(deleted.size() == 2);
  end(kWorker2, 143);
  settle();
  BOOST_TEST(deleted.back() == "lenet5-worker-0");
  letGo();
  settle();
  BOOST_TEST(status().isTrue("Suspended"));

  job.suspend = false;
  start();
  BOOST_TEST(status().isTrue("Running"));
  BOOST_TEST(created.size() == 6);
  BOOST_TEST(created.back() == "worker-2/1");
}

BOOST_FIXTURE_TEST_CASE(restarts_as_a_whole_when_worker_0_is_lost, Decisions) {
  start();
  end(kWorker0, 137);
  end(kWorker1, 75);
  end(kWorker2, 75);
  restartFully();

  BOOST_TEST(status().attempt == 1);
  BOOST_TEST(status().restarts == 1);
  BOOST_TEST(status().isTrue("Running"));
  BOOST_TEST(status().last_failure->pod_name == "lenet5-worker-0");
}

BOOST_FIXTURE_TEST_CASE(succeeds_whichever_worker_has_the_result, Decisions) {
  for (const Slot first : {kWorker0, kWorker2}) {
    BOOST_TEST_CONTEXT(shortName(first)) {
      Decisions life;
      life.start();
      life.end(first, 0, kResult);
      life.settle();
      BOOST_TEST(life.status().state == "Succeeded");
    }
  }
}

BOOST_FIXTURE_TEST_CASE(finished_ends_what_still_runs_with_worker_0_last, Decisions) {
  start();
  end(kWorker1, 0, kResult);
  settle();
  // The record of a finished job may be dropped: its status still tells who coordinates.
  observed.problem = SpecProblem{};
  observed.config_map = ChildState::kMissing;
  advance(seconds(11));
  settle();
  const std::vector<std::string> first = {"lenet5-worker-2"};
  BOOST_TEST(deleted == first, boost::test_tools::per_element());
  letGo();
  settle();
  BOOST_TEST(deleted.back() == "lenet5-worker-0");
}

BOOST_FIXTURE_TEST_CASE(is_polled_at_worker_0, Life) {
  start();

  BOOST_TEST_REQUIRE(progress.targets.size() == 1U);
  BOOST_TEST(progress.targets.begin()->second.ip == "10.0.0.1");
  cluster.change(kube::kPods, "lenet5-worker-0",
                 [](json& pod) { pod["status"]["podIP"] = "10.0.0.9"; });
  pass();
  BOOST_TEST(progress.targets.begin()->second.ip == "10.0.0.9");
}

BOOST_FIXTURE_TEST_CASE(says_nothing_of_servers_in_its_status, Life) {
  start();

  BOOST_TEST(isTrue("Running"));
  const std::vector<std::string> expected = {"lenet5-worker-0", "lenet5-worker-1",
                                             "lenet5-worker-2"};
  BOOST_TEST(cluster.names(kube::kPods) == expected, boost::test_tools::per_element());
  BOOST_TEST(status()["replicaStatuses"].contains("worker"));
  BOOST_TEST(!status()["replicaStatuses"].contains("server"), status().dump());
}

BOOST_FIXTURE_TEST_CASE(keeps_its_token_when_it_is_resumed_by_another_operator, Life) {
  start();
  const std::string name = cluster.names(kube::kSecrets).at(0);
  const json secret = cluster.find(kube::kSecrets, name);
  for (const bool is_suspended : {true, false}) {
    cluster.change(kube::kTrainingJobs, "lenet5", [&](json& job) {
      job["spec"]["suspend"] = is_suspended;
      job["metadata"]["generation"] = job["metadata"]["generation"].get<int>() + 1;
    });
    for (int wave = 0; wave < 3; ++wave) {
      settle();
      finishDeletions();
    }
    restartOperator();
  }
  start();

  BOOST_TEST(isTrue("Running"));
  BOOST_TEST(cluster.find(kube::kSecrets, name) == secret);
  BOOST_TEST(cluster.names(kube::kSecrets).size() == 1U);
  const json pod = cluster.find(kube::kPods, "lenet5-worker-2");
  BOOST_TEST(variableOf(pod, "SUMAC_ATTEMPT") == "1");
  BOOST_TEST(itemIn(pod["spec"]["volumes"], "name", "sumac-keys")["secret"]["secretName"] == name);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::decentralized_test
