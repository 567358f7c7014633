#pragma once

#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "base/core/wall_time.h"
#include "cli/cluster/fetch.h"
#include "kube/api/json.h"

namespace sumac::cli {

inline WallTime at(const std::string& time) {
  return *parseRfc3339("2026-01-31T" + time + "Z");
}

/// An elastic job of two workers, as the API server gives it.
inline nlohmann::json jobObject(const std::string& name = "lenet5") {
  return {{"apiVersion", "sumac.dev/v1alpha1"},
          {"kind", "TrainingJob"},
          {"metadata",
           {{"name", name},
            {"namespace", "default"},
            {"uid", "uid-" + name},
            {"resourceVersion", "1"},
            {"generation", 1},
            {"creationTimestamp", "2026-01-31T12:00:00Z"}}},
          {"spec",
           {{"model", {{"name", "lenet5"}}},
            {"data", {{"name", "fashion-mnist-mini"}}},
            {"training",
             {{"batchSize", 64},
              {"epochs", 5},
              {"optimizer", {{"name", "sgd"}, {"learningRate", "0.1"}}}}},
            {"strategy", {{"exchange", "parameterServer"}, {"consistency", "synchronous"}}},
            {"worker", {{"replicas", 2}, {"minReplicas", 1}, {"maxReplicas", 4}}},
            {"server", {{"replicas", 1}}}}}};
}

inline nlohmann::json condition(const std::string& type, const std::string& reason,
                                const std::string& message = "", const char* status = "True") {
  return {{"type", type},
          {"status", status},
          {"reason", reason},
          {"message", message},
          {"lastTransitionTime", "2026-01-31T12:01:00Z"}};
}

/// A status in this state, of which one condition holds.
inline nlohmann::json statusObject(const std::string& state, const nlohmann::json& held) {
  return {{"state", state},
          {"workers", "2/2"},
          {"attempt", 0},
          {"restarts", 0},
          {"conditions", nlohmann::json::array({held})}};
}

inline nlohmann::json progressObject(int percentage) {
  return {{"step", percentage * 6},
          {"totalSteps", 600},
          {"percentage", percentage},
          {"epoch", 1},
          {"loss", "0.43127"},
          {"samplesPerSecond", "12345.678"},
          {"batchesPerSecond", "4.8"},
          {"estimatedRemainingSeconds", 100},
          {"lastUpdateTime", "2026-01-31T12:02:00Z"}};
}

inline api::TrainingJob jobOf(const nlohmann::json& object) {
  auto job = api::jobFromJson(object);
  if (!job) throw std::runtime_error(job.error().message);
  return *std::move(job);
}

/// A job of that state.
inline api::TrainingJob jobIn(const std::string& state, const nlohmann::json& held) {
  nlohmann::json object = jobObject();
  object["status"] = statusObject(state, held);
  return jobOf(object);
}

/// "lenet5-worker-1" and the like, whose main container runs.
inline nlohmann::json podObject(const std::string& role, int index, int attempt = 1,
                                const std::string& job = "lenet5") {
  const std::string name = job + "-" + role + "-" + std::to_string(index);
  nlohmann::json pod = nlohmann::json::parse(R"({
    "apiVersion": "v1", "kind": "Pod",
    "metadata": {"namespace": "default", "resourceVersion": "1",
      "creationTimestamp": "2026-01-31T12:00:00Z",
      "ownerReferences": [{"apiVersion": "sumac.dev/v1alpha1", "kind": "TrainingJob",
                           "controller": true}]},
    "spec": {"nodeName": "node-a"},
    "status": {"phase": "Running", "podIP": "10.0.0.7",
      "conditions": [{"type": "Ready", "status": "True"}],
      "containerStatuses": [{"name": "sumac",
        "state": {"running": {"startedAt": "2026-01-31T12:00:05Z"}}}]}})");
  auto& metadata = pod["metadata"];
  metadata["name"] = name;
  metadata["uid"] = "uid-" + name + "-" + std::to_string(attempt);
  metadata["ownerReferences"][0]["name"] = job;
  metadata["ownerReferences"][0]["uid"] = "uid-" + job;
  metadata["labels"] = {{"sumac.dev/job-name", job},
                        {"sumac.dev/role", role},
                        {"sumac.dev/replica-index", std::to_string(index)},
                        {"sumac.dev/attempt", std::to_string(attempt)}};
  return pod;
}

inline api::Pod podOf(const nlohmann::json& object) {
  auto pod = api::podFromJson(object);
  if (!pod) throw std::runtime_error(pod.error().message);
  return *std::move(pod);
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace sumac::cli
