#include "tests/unit/operator/trainingjob/operator_fixture.h"

#include <algorithm>

#include <boost/test/unit_test.hpp>

namespace sumac::trainingjob {

using nlohmann::json;

json aManifest(const std::string& name, int workers, int servers) {
  json manifest = json::parse(R"({
    "apiVersion": "sumac.dev/v1alpha1", "kind": "TrainingJob",
    "metadata": {"namespace": "research", "generation": 1,
                 "creationTimestamp": "2026-01-31T11:59:00Z"},
    "spec": {
      "model": {"name": "lenet5"}, "data": {"name": "fashion-mnist-mini"},
      "training": {"batchSize": 128, "epochs": 1,
                   "optimizer": {"name": "sgd", "learningRate": "0.1"}},
      "checkpoint": {"path": "/checkpoints",
                     "volume": {"persistentVolumeClaim": {"claimName": "store"}}},
      "strategy": {"codec": "bf16"}}})");
  manifest["metadata"]["name"] = name;
  manifest["spec"]["worker"]["replicas"] = workers;
  if (servers == 0) {
    manifest["spec"]["strategy"]["topology"] = "decentralized";
  } else {
    manifest["spec"]["server"]["replicas"] = servers;
  }
  return manifest;
}

json anElasticManifest(const std::string& name, int workers, int servers) {
  json manifest = aManifest(name, workers, servers);
  manifest["spec"]["strategy"].erase("codec");
  if (manifest["spec"]["strategy"].empty()) manifest["spec"].erase("strategy");
  return manifest;
}

bool RecordingEvents::has(const std::string& reason) const {
  return std::find(reasons.begin(), reasons.end(), reason) != reasons.end();
}

void FixedQuotas::give(const std::string& name, int hard, int used) {
  const api::ResourceQuota quota{.key = {"research", name},
                                 .hard = {{"pods", static_cast<double>(hard)}},
                                 .used = {{"pods", static_cast<double>(used)}}};
  quotas = api::Quotas{std::make_shared<const api::ResourceQuota>(quota)};
}

OperatorFixture::OperatorFixture() {
  defaults.worker_image = "sumac-worker:1";
  defaults.server_image = "sumac-server:1";
  defaults.operator_namespace = "sumac-system";
  restartOperator();
}

void OperatorFixture::restartOperator(int in_flight) {
  ReconcilerOptions options;
  options.defaults = defaults;
  options.in_flight = in_flight;
  options.operator_version = "0.1.0";
  reconciler = makeReconciler({.client = cluster,
                               .jobs = cluster.jobs,
                               .pods = cluster.pods,
                               .quotas = quotas,
                               .events = events,
                               .clock = clock,
                               .wall_clock = wall_clock,
                               .progress = progress,
                               .running_jobs = [] { return 1; },
                               .log = Log::toStderr(LogLevel::kError),
                               .on_status =
                                   [this](const api::TrainingJob& job, const api::JobStatus& next) {
                                     written_states.push_back(job.status.state + ">" + next.state);
                                   }},
                              options);
}

control::PassResult OperatorFixture::passWithoutWatch(const std::string& job) {
  return reconciler->reconcile({"research", job}, stop.get_token());
}

control::PassResult OperatorFixture::pass(const std::string& job) {
  cluster.deliver();
  return passWithoutWatch(job);
}

void OperatorFixture::settle(const std::string& job) {
  constexpr int kMost = 20;
  for (int i = 0; i < kMost; ++i) {
    const std::size_t before = cluster.requests().size();
    pass(job);
    if (cluster.requests().size() == before) return;
  }
}

void OperatorFixture::advance(Duration by) {
  clock.advance(by);
  wall_clock.advance(by);
}

void OperatorFixture::failFor30s(const std::string& before) {
  BOOST_TEST(pass().failed);
  advance(std::chrono::seconds(29));
  BOOST_TEST(pass().failed);
  BOOST_TEST(reasonOf("Running") == before);
  advance(std::chrono::seconds(1));
  settle();
  BOOST_TEST(reasonOf("Running") == "RequestFailing");
}

void OperatorFixture::submit(const json& manifest) {
  cluster.put(kube::kTrainingJobs, manifest);
}

void OperatorFixture::runPods(const std::string& job) {
  for (const std::string& name : cluster.names(kube::kPods)) {
    if (!name.starts_with(job + "-")) continue;
    cluster.change(kube::kPods, name, [](json& pod) {
      pod["status"] = json::parse(R"({"phase": "Running", "podIP": "10.0.0.1",
        "conditions": [{"type": "Ready", "status": "True"},
                       {"type": "PodScheduled", "status": "True"}],
        "containerStatuses": [{"name": "sumac", "state": {"running": {}}}]})");
    });
  }
}

void OperatorFixture::endPod(const std::string& name, int exit_code, const std::string& message) {
  cluster.change(kube::kPods, name, [&](json& pod) {
    pod["status"]["phase"] = exit_code == 0 ? "Succeeded" : "Failed";
    pod["status"]["containerStatuses"] = json::array(
        {{{"name", "sumac"},
          {"state", {{"terminated", {{"exitCode", exit_code}, {"message", message}}}}}}});
  });
}

void OperatorFixture::finishDeletions() {
  for (const std::string& name : cluster.names(kube::kPods)) {
    if (cluster.find(kube::kPods, name)["metadata"].contains("deletionTimestamp")) {
      cluster.erase(kube::kPods, name);
    }
  }
}

json OperatorFixture::status(const std::string& job) const {
  return cluster.find(kube::kTrainingJobs, job).value("status", json::object());
}

std::string OperatorFixture::reasonOf(const std::string& condition, const std::string& job) const {
  for (const json& entry : status(job).value("conditions", json::array())) {
    if (entry["type"] == condition) return entry["reason"].get<std::string>();
  }
  return "";
}

bool OperatorFixture::isTrue(const std::string& condition, const std::string& job) const {
  for (const json& entry : status(job).value("conditions", json::array())) {
    if (entry["type"] == condition) return entry["status"] == "True";
  }
  return false;
}

}  // namespace sumac::trainingjob
