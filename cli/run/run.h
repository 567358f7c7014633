#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/run/display.h"
#include "common/base/clock.h"
#include "common/base/exit_code.h"

namespace sumac::cli {

/// What `sumac run` was asked to do.
struct RunOptions {
  std::filesystem::path file;  // empty: the job that lies in `resume`
  std::vector<std::string> sets;
  std::optional<int> workers;
  std::optional<int> servers;
  std::filesystem::path output;    // empty: runs/<name>-<time>
  std::filesystem::path resume;    // empty: a new run
  std::string log_level;           // empty: the programs' own
  std::filesystem::path programs;  // where sumac-server and sumac-worker lie
  std::string time;                // of the start, for the folder's name: 20250131-120000
};

/// Where a command writes: results to `out`, progress, warnings and errors to `err`.
struct Streams {
  std::ostream& out;
  std::ostream& err;
  Terminal terminal;  // what `err` is
};

/// Runs a job's processes on this machine to their end, and reports. Requires a process with one
/// thread and no children.
ExitCode run(const RunOptions& options, const Clock& clock, Streams streams);

}  // namespace sumac::cli
