#include <algorithm>
#include <functional>

#include <boost/test/unit_test.hpp>

#include "tests/unit/operator/trainingjob/children/children_fixture.h"
#include "tests/unit/operator/trainingjob/operator_fixture.h"

// The record of a job is written once: neither its spec nor another operator changes it.

namespace sumac::trainingjob::record_test {
namespace {

using nlohmann::json;
using std::chrono::seconds;

struct Record : OperatorFixture {
  Record() { submit(aManifest()); }

  void start() {
    settle();
    runPods();
    settle();
  }
  void edit(const std::function<void(json& spec)>& change) {
    cluster.change(kube::kTrainingJobs, "lenet5", [&](json& job) {
      change(job["spec"]);
      job["metadata"]["generation"] = job["metadata"]["generation"].get<int>() + 1;
    });
    for (int i = 0; i < 5; ++i) {
      settle();
      finishDeletions();
    }
    settle();
  }
  void suspend() {
    edit([](json& spec) { spec["suspend"] = true; });
    BOOST_TEST(isTrue("Suspended"));
  }
  void resume() {
    edit([](json& spec) { spec["suspend"] = false; });
  }
  void crashWorker1() {
    endPod("lenet5-worker-1", 137, "");
    for (int i = 0; i < 5; ++i) {
      settle();
      finishDeletions();
      advance(seconds(60));
    }
    runPods();
    settle();
  }
  std::string messageOf(const std::string& condition) const {
    return itemIn(status()["conditions"], "type", condition)["message"].get<std::string>();
  }
};

BOOST_FIXTURE_TEST_SUITE(record_of_a_job, Record)

BOOST_AUTO_TEST_CASE(limits_the_workers_of_a_job_that_is_resumed_with_more) {
  for (const bool is_restarted : {false, true}) {
    BOOST_TEST_CONTEXT((is_restarted ? "with another operator" : "with the same operator")) {
      Record op;
      op.start();
      op.suspend();
      if (is_restarted) op.restartOperator();
      op.edit([](json& spec) { spec["worker"]["replicas"] = 4; });
      op.resume();
      op.runPods();
      op.settle();

      BOOST_TEST(op.isTrue("Running"), op.status().dump());
      BOOST_TEST(op.status()["workers"] == "2/2");
      BOOST_TEST(op.cluster.names(kube::kPods).size() == 3U);
      BOOST_TEST(variableOf(op.cluster.find(kube::kPods, "lenet5-worker-1"), "SUMAC_WORKERS") ==
                 "2");
      BOOST_TEST(op.messageOf("Running").find("replicas is 4") != std::string::npos);
      BOOST_TEST(op.events.has("WorkersLimited"));
    }
  }
}

// The ConfigMap of the first spec was made, and nobody heard of it.
BOOST_AUTO_TEST_CASE(that_an_earlier_spec_gave_holds_although_its_write_got_no_answer) {
  cluster.after = [](const std::string& request) -> std::optional<kube::Failure> {
    if (request != "create configmaps/lenet5") return std::nullopt;
    return failureOf(0, "", "no answer");
  };
  pass();
  cluster.after = nullptr;
  edit([](json& spec) {
    spec["suspend"] = true;
    spec["worker"]["replicas"] = 4;
  });
  resume();
  runPods();
  settle();

  BOOST_TEST(isTrue("Running"), status().dump());
  BOOST_TEST(status()["workers"] == "2/2");
  BOOST_TEST(variableOf(cluster.find(kube::kPods, "lenet5-worker-1"), "SUMAC_WORKERS") == "2");
}

// The rule of the later operator is that there is no lenet5.
BOOST_AUTO_TEST_CASE(lets_a_job_restart_although_a_later_operator_would_not_accept_it) {
  start();
  restartOperator();
  edit([](json& spec) { spec["model"]["name"] = "lenet6"; });

  crashWorker1();

  BOOST_TEST(isTrue("Running"), status().dump());
  BOOST_TEST(status()["attempt"] == 1);
  const std::string document =
      cluster.find(kube::kConfigMaps, "lenet5")["data"]["job.json"].get<std::string>();
  BOOST_TEST(document.find("lenet6") == std::string::npos);
}

// A CRD that is newer than the operator also adds its defaults to the jobs that are there.
BOOST_AUTO_TEST_CASE(lets_a_job_restart_although_its_document_is_newer_than_the_operator) {
  start();
  restartOperator();
  edit([](json& spec) { spec["training"]["pace"] = "steady"; });

  crashWorker1();

  BOOST_TEST(isTrue("Running"), status().dump());
  BOOST_TEST(status()["attempt"] == 1);
}

BOOST_AUTO_TEST_CASE(of_a_newer_document_is_made_by_an_operator_that_knows_it) {
  const std::function<void(json&)> later[] = {
      [](json& training) { training["optimizer"]["name"] = "lamb"; },
      [](json& training) { training["pace"] = "steady"; },
      [](json& training) { training["threads"] = "half"; },
  };
  for (const auto& write : later) {
    OperatorFixture op;
    json manifest = aManifest();
    write(manifest["spec"]["training"]);
    op.submit(manifest);
    op.settle();
    BOOST_TEST(!op.isTrue("Failed"), op.status().dump());
    BOOST_TEST(op.reasonOf("Running") == "NewerDocument");
    BOOST_TEST(op.events.has("NewerDocument"));
    BOOST_TEST(op.cluster.count("create ") == 0);

    // To the next operator it is a document like any other.
    op.cluster.change(kube::kTrainingJobs, "lenet5",
                      [](json& job) { job["spec"] = aManifest()["spec"]; });
    op.restartOperator();
    op.settle();
    op.runPods();
    op.settle();
    BOOST_TEST(op.isTrue("Running"), op.status().dump());
    BOOST_TEST(op.status()["replicaStatuses"]["server"]["desired"] == 1);
  }
}

BOOST_AUTO_TEST_CASE(that_cannot_be_read_for_30_s_is_said_until_it_can) {
  start();
  restartOperator();
  cluster.before = [](const std::string& asked) -> std::optional<kube::Failure> {
    if (!asked.starts_with("get configmaps/")) return std::nullopt;
    return failureOf(503, "ServiceUnavailable", "etcd is away");
  };

  failFor30s("Running");

  BOOST_TEST(isTrue("Running"));
  BOOST_TEST(messageOf("Running").find("a request for ConfigMap lenet5 has failed") == 0);
  BOOST_TEST(messageOf("Running").find("etcd is away") != std::string::npos);
  const int tries = cluster.count("get configmaps/");
  int more = 0;
  for (const int pause : {10, 20, 40}) {
    advance(seconds(pause - 1));
    BOOST_TEST(!pass().failed);
    BOOST_TEST(cluster.count("get configmaps/") == tries + more);
    advance(seconds(1));
    settle();
    BOOST_TEST(cluster.count("get configmaps/") == tries + ++more);
  }
  BOOST_TEST(std::count(events.reasons.begin(), events.reasons.end(), "RequestFailing") == 1);

  cluster.before = nullptr;
  advance(seconds(120));
  settle();
  BOOST_TEST(reasonOf("Running") == "Running");
  BOOST_TEST(messageOf("Running") == "all 3 pods of attempt 0 run");
}

BOOST_AUTO_TEST_CASE(outlives_an_empty_status) {
  start();
  restartOperator();
  cluster.change(kube::kTrainingJobs, "lenet5", [](json& job) { job.erase("status"); });
  edit([](json& spec) { spec["model"]["name"] = "lenet6"; });

  BOOST_TEST(!isTrue("Failed"), status().dump());
}

BOOST_AUTO_TEST_CASE(waits_for_a_correction_of_a_template_that_was_spoilt_while_suspended) {
  for (const bool is_restarted : {false, true}) {
    BOOST_TEST_CONTEXT((is_restarted ? "with another operator" : "with the same operator")) {
      Record op;
      op.start();
      op.suspend();
      op.edit([](json& spec) { spec["worker"]["template"]["spec"]["containers"] = "sumac"; });
      if (is_restarted) op.restartOperator();
      op.resume();

      BOOST_TEST(!op.isTrue("Failed"), op.status().dump());
      BOOST_TEST(op.reasonOf("Running") == "InvalidTemplate");
      BOOST_TEST(op.messageOf("Running").starts_with("spec.worker.template.spec.containers: "));
      BOOST_TEST(op.events.has("InvalidTemplate"));
      BOOST_TEST(op.cluster.names(kube::kPods).empty());

      op.edit([](json& spec) {
        spec["suspend"] = true;
        spec["worker"].erase("template");
      });
      op.resume();
      op.runPods();
      op.settle();
      BOOST_TEST(op.isTrue("Running"), op.status().dump());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace sumac::trainingjob::record_test
