#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "cli/models/worker_memory.h"
#include "common/base/clock.h"

#include "experiment/cells/cells.h"
#include "experiment/measure/figures.h"

namespace sumac::cli {

/// Why a run has no figures.
struct RunFailure {
  std::string cause;    // for people; the first line says it in short
  int stop_signal = 0;  // SIGINT, SIGTERM or SIGHUP where that ended it: nothing failed
};

using RunOutcome = std::variant<experiment::RunFigures, RunFailure>;

/// What runs need besides their job.
struct CellRunOptions {
  std::filesystem::path programs;  // folder of sumac-server and sumac-worker
  std::filesystem::path folder;    // of this run; what is in it goes
  std::int64_t warmup_steps = 0;
  AskMemory ask_memory;  // empty: the job's memory is not checked
};

/// Runs a cell's job once, with processes on this machine, as `sumac run` does, and reads how long
/// its steps took. The folder stays, with the members' logs. Requires a process with one thread and
/// no other children.
RunOutcome runCell(const experiment::Cell& cell, const CellRunOptions& options, const Clock& clock);

}  // namespace sumac::cli
