#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cli/cluster/cluster.h"
#include "cli/experiment/cluster_sizing.h"
#include "cli/experiment/link_limit.h"
#include "cli/experiment/run_outcome.h"
#include "cli/experiment/scale_course.h"

#include "experiment/document/experiment.h"

namespace sumac::cli {

/// A run as a job of a cluster.
struct ClusterRun {
  nlohmann::json object;  // the TrainingJob
  bool has_servers = false;
  std::int64_t warmup_steps = 0;
  std::filesystem::path folder;                   // for the logs of a run that fails
  std::vector<experiment::ScaleStep> scale = {};  // empty: the number of workers stays
  LinkLimit link = {};
  ScaleCourse::Means means = ScaleCourse::Means::kRestart;  // of `scale`
  std::optional<SizingScript> sizing = {};       // in a comparison of sizes; nothing: it is none
  const experiment::Cell* autoscaled = nullptr;  // has a HorizontalPodAutoscaler; outlives the run
};

/// How a run in a cluster ended.
struct ClusterRunEnd {
  RunOutcome outcome;
  std::string note;  // what became of its job, where people should know; else empty
};

/// Creates the job, or takes over the one of that name that an earlier process of the same
/// experiment left; waits for its end, reads its steps' times from the log of its slot 0, and
/// deletes it with all its pods. Connections that are lost are made again: the job goes on
/// meanwhile. A cluster that does not answer for long, or in which nothing takes care of the job,
/// ends the run.
///
/// `stop` ends it early: the job is deleted. Blocks its thread.
ClusterRunEnd runInCluster(const Cluster& cluster, const ClusterRun& run,
                           const std::stop_token& stop);

}  // namespace sumac::cli
