#include "operator/trainingjob/job_reconciler.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/misbehaviour.h"
#include "tests/unit/operator/trainingjob/operator_fixture.h"

namespace sumac::trainingjob::job_reconciler_test {
namespace {

using nlohmann::json;
using std::chrono::seconds;

/// As many requests of each verb as there were.
std::string listOf(const FakeCluster& cluster) {
  std::string list;
  for (const std::string& request : cluster.requests())
    list += request + "\n";
  return list;
}

BOOST_AUTO_TEST_SUITE(reconciler)

BOOST_AUTO_TEST_CASE(a_job_costs_exactly_its_objects_and_three_status_writes) {
  OperatorFixture op;
  op.submit(aManifest("lenet5", 8, 2));

  op.settle();
  op.runPods();
  op.settle();
  op.endPod("lenet5-worker-0", 0, kResultMessage);
  op.settle();

  BOOST_TEST(op.isTrue("Succeeded"));
  BOOST_TEST(op.cluster.count("create ") == 15, listOf(op.cluster));
  BOOST_TEST(op.cluster.count("create pods/") == 10);
  BOOST_TEST(op.cluster.count("replace trainingjobs/lenet5/status") == 3, listOf(op.cluster));
  BOOST_TEST(op.cluster.count("get ") == 0, listOf(op.cluster));
  BOOST_TEST(op.events.reasons == std::vector<std::string>({"Running", "Completed"}),
             boost::test_tools::per_element());
  const std::vector<std::string> expected{">Pending", "Pending>Running", "Running>Succeeded"};
  BOOST_TEST(op.written_states == expected, boost::test_tools::per_element());
}

json withClaim(json manifest, const json& data = {}) {
  manifest["spec"]["checkpoint"] =
      json::parse(R"({"path": "/c", "volume": {"persistentVolumeClaim": {"claimName": "store"}}})");
  if (!data.is_null()) {
    manifest["spec"]["data"] = data;
    manifest["spec"]["model"]["name"] = "cifar10-quick";
  }
  return manifest;
}

json claimWith(const json& asked, const json& found = json::array()) {
  return {{"metadata", {{"name", "store"}, {"namespace", "research"}}},
          {"spec", {{"accessModes", asked}}},
          {"status", {{"accessModes", found}}}};
}

/// The members that mount the claim, of a job with two workers and a server.
std::string mountersIn(const FakeCluster& cluster) {
  std::string mounters;
  for (const std::string& name : cluster.names(kube::kPods)) {
    const json pod = cluster.find(kube::kPods, name);
    const auto isClaim = [](const json& volume) {
      return volume.contains("persistentVolumeClaim");
    };
    if (std::ranges::any_of(pod["spec"]["volumes"], isClaim)) mounters += name + " ";
  }
  return mounters;
}

constexpr const char* kWorker0Alone = "lenet5-worker-0 ";
constexpr const char* kAllWorkers = "lenet5-worker-0 lenet5-worker-1 ";

BOOST_AUTO_TEST_CASE(a_claim_for_one_node_is_mounted_by_worker_0_alone_where_members_may_change) {
  const json rwo = json::array({"ReadWriteOnce"});
  const json both = json::array({"ReadWriteOnce", "ReadWriteMany"});
  const json data = json::parse(R"({"format": "cifar10", "path": "/d",
      "volume": {"persistentVolumeClaim": {"claimName": "store"}}})");
  const struct {
    const char* what;
    json manifest;
    json claim;  // null: there is none
    std::string mounters;
  } cases[] = {
      {"once", withClaim(anElasticManifest()), claimWith(rwo), kWorker0Alone},
      {"one pod", withClaim(anElasticManifest()), claimWith({"ReadWriteOncePod"}), kWorker0Alone},
      {"many", withClaim(anElasticManifest()), claimWith(both), kAllWorkers},
      {"the volume can do more", withClaim(anElasticManifest()), claimWith(rwo, both), kAllWorkers},
      {"no modes", withClaim(anElasticManifest()), claimWith(json::array()), kAllWorkers},
      {"not there", withClaim(anElasticManifest()), json(), kAllWorkers},
      {"all read data there", withClaim(anElasticManifest(), data), claimWith(rwo), kAllWorkers},
      {"members are fixed", withClaim(aManifest()), claimWith(rwo), kAllWorkers},
  };
  for (const auto& [what, manifest, claim, mounters] : cases) {
    BOOST_TEST_CONTEXT(what) {
      OperatorFixture op;
      if (!claim.is_null()) op.cluster.put(kube::kVolumeClaims, claim);
      op.submit(manifest);
      op.settle();
      BOOST_TEST(mountersIn(op.cluster) == mounters);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_claim_is_looked_at_again_for_each_pod_that_is_replaced) {
  OperatorFixture op;
  op.cluster.put(kube::kVolumeClaims, claimWith({"ReadWriteOnce"}));
  op.submit(withClaim(anElasticManifest()));
  op.settle();
  op.runPods();
  op.settle();
  BOOST_TEST(op.cluster.count("get persistentvolumeclaims/store") == 1);
  op.restartOperator();
  op.endPod("lenet5-worker-1", 137, "");
  for (int i = 0; i < 3; ++i) {
    op.settle();
    op.finishDeletions();
    op.advance(seconds(10));
  }
  op.settle();
  BOOST_TEST(op.cluster.count("create pods/lenet5-worker-1") == 2);
  BOOST_TEST(mountersIn(op.cluster) == kWorker0Alone);
}

BOOST_AUTO_TEST_CASE(
    without_an_answer_about_a_claim_no_pod_is_made_and_without_the_right_all_mount) {
  OperatorFixture op;
  op.cluster.put(kube::kVolumeClaims, claimWith({"ReadWriteOnce"}));
  op.submit(withClaim(anElasticManifest()));
  constexpr const char* kAsked = "get persistentvolumeclaims/store";
  op.cluster.before = refusing(kAsked, 1, failureOf(500, "InternalError", "broken"));
  BOOST_TEST(op.pass().failed);
  BOOST_TEST(op.cluster.names(kube::kPods).empty());
  op.cluster.before = refusing(kAsked, 1, failureOf(403, "Forbidden", "no right"));
  op.settle();
  BOOST_TEST(mountersIn(op.cluster) == kAllWorkers);
}

/// Who may read port 7071 of the job's members, as the policies say.
std::string readersIn(const FakeCluster& cluster) {
  std::string readers;
  for (const std::string& name : cluster.names(kube::kNetworkPolicies)) {
    const json policy = cluster.find(kube::kNetworkPolicies, name);
    for (const json& rule : policy["spec"]["ingress"]) {
      if (rule["ports"][0]["port"] != 7071) continue;
      for (const json& peer : rule["from"])
        readers += peer["namespaceSelector"]["matchLabels"].begin()->get<std::string>() + " ";
    }
  }
  return readers;
}

BOOST_AUTO_TEST_CASE(an_operator_in_another_namespace_may_read_jobs_that_run) {
  OperatorFixture op;
  op.submit(aManifest());
  op.settle();
  op.runPods();
  op.settle();
  BOOST_TEST(readersIn(op.cluster) == "sumac-system ");
  op.defaults.operator_namespace = "again";
  op.defaults.metrics_namespace = "monitoring";
  op.cluster.forgetRequests();

  op.restartOperator();
  op.settle();

  const std::string readers = readersIn(op.cluster);
  BOOST_TEST(readers.find("again monitoring ") != std::string::npos, readers);
  BOOST_TEST(op.cluster.count("create ") == 1, listOf(op.cluster));
  BOOST_TEST(op.isTrue("Running"));

  op.restartOperator();
  op.settle();
  BOOST_TEST(op.cluster.count("create ") == 1, listOf(op.cluster));
}

BOOST_AUTO_TEST_CASE(a_job_that_runs_says_that_its_new_readers_are_rejected) {
  OperatorFixture op;
  op.submit(aManifest());
  op.settle();
  op.runPods();
  op.settle();
  op.cluster.before = [](const std::string& request) -> std::optional<kube::Failure> {
    if (!request.starts_with("create networkpolicies/lenet5-readers")) return std::nullopt;
    return failureOf(403, "Forbidden", "a policy says no");
  };
  op.defaults.operator_namespace = "again";
  op.restartOperator();
  for (int i = 0; i < 3; ++i) {
    op.settle();
    BOOST_TEST(op.isTrue("Running"));
    BOOST_TEST(op.reasonOf("Running") == "Forbidden");
    op.advance(seconds(120));
  }
  const std::vector<std::string> said{"Running", "Forbidden"};
  BOOST_TEST(op.events.reasons == said, boost::test_tools::per_element());

  op.cluster.before = nullptr;
  op.settle();
  op.advance(seconds(120));
  op.settle();
  BOOST_TEST(op.reasonOf("Running") == "Running");
  BOOST_TEST(readersIn(op.cluster).find("again ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_new_leader_with_the_same_readers_asks_for_no_policy) {
  OperatorFixture op;
  op.submit(aManifest());
  op.settle();
  op.runPods();
  op.settle();
  op.cluster.forgetRequests();

  op.restartOperator();
  op.settle();

  BOOST_TEST(op.cluster.requests() == std::vector<std::string>{"get configmaps/lenet5"},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_cache_that_lags_behind_costs_no_request_twice) {
  OperatorFixture op;
  op.submit(aManifest());
  op.pass();
  const std::size_t requests = op.cluster.requests().size();

  op.passWithoutWatch();
  op.passWithoutWatch();

  BOOST_TEST(op.cluster.requests().size() == requests, listOf(op.cluster));
  BOOST_TEST(op.cluster.count("create pods/") == 3);
}

BOOST_AUTO_TEST_CASE(a_job_whose_spec_is_too_large_fails_and_makes_nothing) {
  OperatorFixture op;
  json manifest = aManifest();
  manifest["spec"]["worker"]["template"]["metadata"]["annotations"]["note"] =
      std::string(1'000'000, 'x');
  op.submit(manifest);

  op.settle();

  BOOST_TEST(op.isTrue("Failed"));
  BOOST_TEST(op.reasonOf("Failed") == "InvalidSpec");
  BOOST_TEST(op.cluster.count("create ") == 0, listOf(op.cluster));
}

BOOST_AUTO_TEST_CASE(a_job_whose_template_grew_too_large_while_suspended_waits_for_its_correction) {
  OperatorFixture op;
  op.submit(aManifest());
  op.settle();
  op.runPods();
  op.settle();
  const auto change = [&op](bool suspend, std::size_t note) {
    op.cluster.change(kube::kTrainingJobs, "lenet5", [&](json& job) {
      job["metadata"]["generation"] = job["metadata"]["generation"].get<int>() + 1;
      job["spec"]["suspend"] = suspend;
      job["spec"]["worker"]["template"]["metadata"]["annotations"]["note"] = std::string(note, 'x');
    });
    for (int i = 0; i < 4; ++i) {
      op.settle();
      op.finishDeletions();
    }
  };

  change(true, 0);
  BOOST_TEST(op.isTrue("Suspended"));
  change(false, 300'000);
  BOOST_TEST(op.reasonOf("Running") == "InvalidTemplate");
  BOOST_TEST(op.cluster.names(kube::kPods).empty());
  change(true, 300'000);
  change(false, 3);

  BOOST_TEST(op.cluster.names(kube::kPods).size() == 3U);
}

// As a user with the right to patch pods can do.
BOOST_AUTO_TEST_CASE(an_attempt_edited_into_a_label_makes_the_member_again_and_no_such_attempt) {
  OperatorFixture op;
  op.submit(aManifest());
  op.settle();
  op.runPods();
  op.settle();
  op.cluster.change(kube::kPods, "lenet5-worker-0", [](json& pod) {
    pod["metadata"]["labels"]["sumac.dev/attempt"] = "999999999";
  });

  for (int i = 0; i < 4; ++i) {
    op.settle();
    op.finishDeletions();
  }
  op.runPods();
  op.settle();

  BOOST_TEST(op.isTrue("Running"));
  BOOST_TEST(op.status()["attempt"] == 1);
  BOOST_TEST(op.cluster.count("get trainingjobs/") <= 1, listOf(op.cluster));
}

// The watch of jobs is behind that of pods: nothing may be decided from what it has.
BOOST_AUTO_TEST_CASE(a_status_older_than_the_pods_is_looked_up_and_no_pod_is_deleted) {
  OperatorFixture op;
  op.submit(aManifest());
  op.settle();
  op.runPods();
  op.settle();
  const json old = op.cluster.find(kube::kTrainingJobs, "lenet5");
  op.endPod("lenet5-worker-1", 137, "");
  for (int i = 0; i < 4; ++i) {
    op.settle();
    op.finishDeletions();
  }
  op.runPods();
  op.settle();
  BOOST_TEST(op.status()["attempt"] == 1);
  op.restartOperator();
  op.cluster.jobs.replaceBegin();  // as a watch that lags behind has it
  op.cluster.jobs.upsert(old);
  op.cluster.jobs.replaceEnd();
  op.cluster.forgetRequests();

  op.passWithoutWatch();

  BOOST_TEST(op.cluster.count("get trainingjobs/lenet5") == 1, listOf(op.cluster));
  BOOST_TEST(op.cluster.count("remove ") == 0, listOf(op.cluster));
  BOOST_TEST(op.cluster.count("replace ") == 0, listOf(op.cluster));
}

// Whatever it chooses: what users write is theirs.
BOOST_AUTO_TEST_CASE(a_job_that_sizes_itself_changes_by_its_status_alone) {
  OperatorFixture op;
  json manifest = anElasticManifest();
  manifest["spec"]["training"]["logicalWorkers"] = 4;
  manifest["spec"]["worker"] = {{"minReplicas", 1}, {"maxReplicas", 4}};
  manifest["spec"]["autoscaling"] = {{"policy", "throughput"}, {"stabilizationSeconds", 10}};
  op.submit(manifest);
  op.settle();
  op.runPods();
  op.settle();
  Progress& progress = op.progress.progress.emplace();
  progress.total_steps = 1'000'000;
  progress.gradient_seconds = progress.sum_wait_seconds = 0;
  progress.update_seconds = progress.data_wait_seconds = 0;
  MembershipReport& members = op.progress.membership.emplace();
  members.term = 1;
  for (int i = 0; i < 40; ++i) {
    op.advance(seconds(10));
    const int workers = static_cast<int>(op.cluster.names(kube::kPods).size()) - 1;
    if (std::exchange(members.workers, workers) != workers) ++members.generation;
    progress.step += 100;
    *progress.gradient_seconds += 10.0 / workers;
    op.settle();
    op.finishDeletions();
    op.runPods();
    op.settle();
  }
  BOOST_TEST(op.status()["resizes"] >= 1);
  BOOST_TEST(op.status()["autoscaling"]["workersWanted"] == 4);
  BOOST_TEST((op.cluster.find(kube::kTrainingJobs, "lenet5")["spec"] == manifest["spec"]));
  const int writes = op.cluster.count("replace trainingjobs/lenet5/status");
  BOOST_TEST(op.cluster.count("replace ") == writes, listOf(op.cluster));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::job_reconciler_test
