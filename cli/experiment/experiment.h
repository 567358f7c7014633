#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/core/clock.h"
#include "base/core/exit_code.h"
#include "base/report/text.h"
#include "cli/cluster/cluster.h"
#include "cli/experiment/predictions.h"
#include "cli/experiment/prepared_experiment.h"
#include "cli/models/worker_memory.h"
#include "cli/run/run.h"

namespace sumac::cli {

/// The options of `sumac experiment`.
struct ExperimentOptions {
  std::string file;  // "-": standard input
  PreparationOptions preparation;
  PredictionOptions predictions;
  bool is_dry_run = false;
  bool is_simulated = false;       // on virtual time: simulateExperiment()
  int parallel = 1;                // jobs at once, in a cluster
  std::string cluster_options;     // " --context staging": of the command to repeat
  report::TextStyle style{};       // of where the answer is shown
  std::filesystem::path output;    // empty: experiments/<name>
  std::filesystem::path programs;  // folder of sumac-server and sumac-worker
  AskMemory ask_memory;            // empty: the jobs' memory is not checked
};

/// Runs an experiment's cells on this machine, or those of them that its folder does not have yet,
/// and reports what they measured. Returns kFailed if a cell failed; the others are measured all
/// the same. Requires a process with one thread and no children.
///
/// With `is_for_cluster` in its preparation only a dry run is done, which needs no cluster.
ExitCode runExperiment(const ExperimentOptions& options, const Clock& clock, Streams streams);

/// The same with TrainingJobs in a cluster and its namespace. `stop` is Ctrl-C: jobs that are under
/// way are deleted. `cluster` must not end with it.
ExitCode runExperimentOnCluster(const ExperimentOptions& options, const Cluster& cluster,
                                const std::stop_token& stop, Streams streams);

}  // namespace sumac::cli
