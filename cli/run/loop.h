#pragma once

#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "cli/run/display.h"
#include "cli/run/folder.h"
#include "cli/run/supervisor.h"
#include "common/base/result.h"

namespace sumac::cli {

/// Everything that the processes of a run need to know.
struct LoopOptions {
  std::filesystem::path programs;  // where sumac-server and sumac-worker lie
  std::filesystem::path folder;    // the run's output folder; job.yaml is in it
  int servers = 1;
  int workers = 1;
  bool is_encrypted = false;  // the members' keys lie in the folder
  std::string log_level;      // empty: the programs' own
};

/// How the processes of a run ended.
struct LoopResult {
  ExitCode code = ExitCode::kFailed;
  int stop_signal = 0;                    // SIGINT, SIGTERM or SIGHUP when a signal ended the run
  std::optional<Failure> failure;         // when something went wrong by itself
  std::optional<std::string> result;      // server 0's, as one line of JSON
  std::optional<Step> newest_checkpoint;  // announced in this run
};

/// Starts the job's processes, watches them until the last has ended, and writes what they report
/// to metrics.jsonl and `out`.
///
/// Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD of the calling process meanwhile. Requires a process
/// with one thread and no other children. Fails, with every process it started gone, when pipes or
/// files cannot be made.
Result<LoopResult> superviseJob(const LoopOptions& options, const Clock& clock, std::ostream& out,
                                Terminal terminal);

}  // namespace sumac::cli
