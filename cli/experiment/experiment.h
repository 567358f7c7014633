#pragma once

#include <filesystem>
#include <string>

#include "cli/experiment/plan.h"
#include "cli/models/worker_memory.h"
#include "cli/run/run.h"
#include "common/base/clock.h"
#include "common/base/exit_code.h"

namespace sumac::cli {

/// The options of `sumac experiment`.
struct ExperimentOptions {
  std::string file;  // "-": standard input
  PlanOptions plan;
  bool is_dry_run = false;
  std::filesystem::path output;    // empty: experiments/<name>
  std::filesystem::path programs;  // folder of sumac-server and sumac-worker
  AskMemory ask_memory;            // empty: the jobs' memory is not checked
};

/// Runs an experiment's cells on this machine, or those of them that its folder does not have yet,
/// and reports what they measured. Returns kFailed if a cell failed; the others are measured all
/// the same. Requires a process with one thread and no children.
ExitCode runExperiment(const ExperimentOptions& options, const Clock& clock, Streams streams);

}  // namespace sumac::cli
