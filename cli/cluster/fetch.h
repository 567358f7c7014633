#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "cli/cluster/cluster.h"
#include "kube/api/training_job.h"

namespace sumac::cli {

/// A job as the API server sent it, and as it was read.
struct FetchedJob {
  std::shared_ptr<const nlohmann::json> object;
  api::TrainingJob job;
};

/// Errors have messages that can be shown to users.
Result<FetchedJob> fetchJob(const Cluster& cluster, const std::string& name);

/// `name_space` empty: all of them.
Result<std::vector<FetchedJob>> fetchJobs(const Cluster& cluster, const std::string& name_space,
                                          const std::string& selector);

/// The pods of a job, servers first, by index; those that cannot be read are left out.
Result<std::vector<api::Pod>> fetchPods(const Cluster& cluster, const std::string& job);

/// The job in a change; fails where it cannot be read.
Result<FetchedJob> readJob(std::shared_ptr<const nlohmann::json> object);

/// Selects all pods of a job.
std::string podsOf(const std::string& job);

/// Whether a job can have this name; other names must not be put into paths and selectors.
bool isJobName(const std::string& name);

/// "worker-3".
std::string memberName(Slot slot);

}  // namespace sumac::cli
