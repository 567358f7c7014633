#pragma once

#include <filesystem>
#include <functional>
#include <istream>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/exit_code.h"
#include "base/core/result.h"
#include "cli/models/worker_memory.h"
#include "cli/run/display.h"
#include "cli/run/program_job.h"

namespace sumac::cli {

/// Where the data of a job, given as text, are packed that take too much memory; empty: they are
/// loaded as they are.
using AskCache = std::function<Result<std::string>(const std::string& job)>;

/// The options of `sumac run`.
struct RunOptions {
  std::string file;  // "-": standard input; empty: the job in `resume`, or that of `program`
  ProgramFlags program = {};
  bool prints_job = false;  // print the document of `program` and end
  std::vector<std::string> sets;
  std::optional<int> workers;
  std::optional<int> servers;
  std::filesystem::path output;    // empty: runs/<name>-<time>
  std::filesystem::path resume;    // empty: a new run
  bool from_start = false;         // the run in `resume` has no checkpoint: train it again
  int restarts = 3;                // of a member in a row without progress; 0: a loss ends the run
  std::string log_level;           // empty: the programs' default
  std::string log_format;          // empty: the programs' default
  std::string trace;               // steps to trace, "10:20"; empty: none
  std::filesystem::path programs;  // folder of sumac-server and sumac-worker
  AskMemory ask_memory;            // empty: the job's memory is not checked
  AskCache ask_cache;              // empty: no data are packed
  bool is_verbose = false;         // show where the workers' time went, too
  std::string time;                // start time, for the folder's name: 20250131-120000
};

/// What a command reads, and where it writes: results to `out`, progress, warnings and errors to
/// `err`.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  Terminal terminal;  // what `err` is
};

/// Runs a job's processes on this machine to their end and reports the result. Requires a process
/// with one thread and no children.
ExitCode run(const RunOptions& options, const Clock& clock, Streams streams);

}  // namespace sumac::cli
