#pragma once

#include <string>

#include <nlohmann/json.hpp>

namespace sumac::cache {

/// A TrainingJob as an API server gives it.
inline nlohmann::json aJob(const std::string& name, const std::string& version,
                           const std::string& state = "Running", const std::string& uid = "") {
  return {{"apiVersion", "sumac.dev/v1alpha1"},
          {"kind", "TrainingJob"},
          {"metadata",
           {{"name", name},
            {"namespace", "ns"},
            {"uid", uid.empty() ? "uid-of-" + name : uid},
            {"resourceVersion", version},
            {"generation", 1},
            {"creationTimestamp", "2026-01-31T12:00:00Z"}}},
          {"spec",
           {{"model", {{"name", "lenet5"}}},
            {"data", {{"name", "fashion-mnist-mini"}}},
            {"training", {{"batchSize", 128}, {"epochs", 1}}},
            {"worker", {{"replicas", 2}}}}},
          {"status", {{"state", state}}}};
}

/// A pod of a job, as an API server gives it.
inline nlohmann::json aPod(const std::string& name, const std::string& version,
                           const std::string& job, const std::string& job_uid,
                           const std::string& name_space = "ns") {
  return {{"metadata",
           {{"name", name},
            {"namespace", name_space},
            {"uid", "uid-of-" + name},
            {"resourceVersion", version},
            {"creationTimestamp", "2026-01-31T12:00:00Z"},
            {"labels",
             {{"sumac.dev/job-name", job},
              {"sumac.dev/role", "worker"},
              {"sumac.dev/replica-index", "0"},
              {"sumac.dev/attempt", "0"}}},
            {"ownerReferences",
             {{{"apiVersion", "sumac.dev/v1alpha1"},
               {"kind", "TrainingJob"},
               {"name", job},
               {"uid", job_uid},
               {"controller", true}}}}}},
          {"spec", {{"nodeName", "node-a"}}},
          {"status", {{"phase", "Running"}, {"podIP", "10.0.0.7"}}}};
}

/// A ResourceQuota of pods, as an API server gives it.
inline nlohmann::json aQuota(const std::string& name, int hard, int used,
                             const std::string& name_space = "ns") {
  return {
      {"metadata", {{"name", name}, {"namespace", name_space}, {"uid", "uid-of-" + name}}},
      {"status",
       {{"hard", {{"pods", std::to_string(hard)}}}, {"used", {{"pods", std::to_string(used)}}}}}};
}

}  // namespace sumac::cache
