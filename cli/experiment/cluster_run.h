#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/cluster/cluster.h"
#include "cli/experiment/run_outcome.h"

namespace sumac::cli {

/// A run as a job of a cluster.
struct ClusterRun {
  nlohmann::json object;  // the TrainingJob
  bool has_servers = false;
  std::int64_t warmup_steps = 0;
  std::filesystem::path folder;  // for the logs of a run that fails
};

/// How a run in a cluster ended.
struct ClusterRunEnd {
  RunOutcome outcome;
  std::string note;  // what became of its job, where people should know; else empty
};

/// Creates the job, or takes over the one of that name that an earlier process of the same
/// experiment left; waits for its end, reads its steps' times from the log of its slot 0, and
/// deletes it with all its pods. Connections that are lost are made again: the job goes on
/// meanwhile.
///
/// `stop` ends it early: the job is deleted. Blocks its thread.
ClusterRunEnd runInCluster(const Cluster& cluster, const ClusterRun& run,
                           const std::stop_token& stop);

/// Deletes a job of this uid, and waits, for a minute at most, until it is gone with its pods.
/// Returns what to tell people if that did not work, else an empty text.
std::string removeRun(const Cluster& cluster, const std::string& name, const std::string& uid);

}  // namespace sumac::cli
