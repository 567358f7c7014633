#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "cli/experiment/run_outcome.h"
#include "cli/models/worker_memory.h"
#include "common/base/clock.h"

#include "experiment/cells/cells.h"
#include "experiment/document/experiment.h"

namespace sumac::cli {

/// What runs need besides their job.
struct CellRunOptions {
  std::filesystem::path programs;    // folder of sumac-server and sumac-worker
  std::filesystem::path folder;      // of this run; what is in it goes
  std::filesystem::path step_times;  // of emulated computing: what was measured once; kept
  std::int64_t warmup_steps = 0;
  std::vector<experiment::ScaleStep> scale;  // empty: the job's number of workers stays
  AskMemory ask_memory;                      // empty: the job's memory is not checked
};

/// Runs a cell's job once, with processes on this machine, as `sumac run` does, and reads how long
/// its steps took; with a script of numbers of workers from attempt to attempt. The folder stays,
/// with the members' logs. Requires a process with one thread and no other children.
RunOutcome runCell(const experiment::Cell& cell, const CellRunOptions& options, const Clock& clock);

}  // namespace sumac::cli
