#pragma once

#include <filesystem>

#include "cli/experiment/folder.h"
#include "cli/experiment/plan.h"
#include "cli/models/worker_memory.h"
#include "cli/run/run.h"
#include "common/base/clock.h"
#include "common/base/exit_code.h"

#include "experiment/measure/schedule.h"
#include "experiment/report/files.h"

namespace sumac::cli {

/// What runs need besides the plan.
struct RunnerOptions {
  experiment::Origin origin;       // for the results
  std::filesystem::path programs;  // folder of sumac-server and sumac-worker
  AskMemory ask_memory;            // empty: the jobs' memory is not checked
};

/// How often each cell of an experiment runs.
experiment::Repetitions repetitionsOf(const experiment::Measurement& measurement);

/// Runs what the folder does not have yet, one job after another, and writes and prints the
/// results. Returns kFailed if a cell failed. Takes SIGINT, SIGTERM and SIGHUP while it runs: each
/// ends it, and what was measured is kept. Requires a process with one thread and no children.
ExitCode runCells(const ExperimentPlan& plan, const ExperimentFolder& folder,
                  const RunnerOptions& options, const Clock& clock, Streams streams);

}  // namespace sumac::cli
