#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "cli/run/display.h"
#include "cli/run/folder.h"
#include "cli/run/job_observer.h"
#include "cli/run/links.h"
#include "cli/run/supervisor.h"
#include "cli/run/user_program.h"

namespace sumac::cli {

/// What the processes of a run need.
struct LocalJobOptions {
  std::filesystem::path programs;  // folder of sumac-server and sumac-worker
  std::filesystem::path folder;    // the run's output folder
  std::filesystem::path job = {};  // what the members read; empty: job.yaml in the folder
  int servers = 1;                 // 0: the workers sum
  int workers = 1;
  std::optional<int> most_workers = {};  // where members may change; nothing: a loss ends the job
  int restarts = 0;                      // of a member in a row without progress (restart_rule.h)
  bool is_encrypted = false;             // the members' keys are in the run's folder
  std::string log_level;                 // empty: the programs' default
  std::string log_format;                // empty: the programs' default
  std::string trace = {};                // steps to trace, "10:20"; empty: none
  std::optional<UserProgram> program = {};     // each worker is a process of it; none: sumac-worker
  std::vector<std::string> worker_flags = {};  // of every sumac-worker, besides those of a run
  JobObserver* observer = nullptr;             // outlives the run; null: nobody
  bool shares_processors = true;  // workers; false: each computes as if it were alone here
  int sharing_workers = 0;        // at most; 0: as many as are wanted when one is started
  // Why a number in RunFolder::workers() is not followed; empty: it is.
  std::string workers_cause = {};
  const Links* links = nullptr;  // of all members, servers first; outlives us; null: loopback
};

/// How the processes of a run ended.
struct LocalJobResult {
  std::string coordinator_reason;               // what it wrote of its end; empty: nothing
  std::map<Slot, std::string> last_words = {};  // what each member wrote of its end or its result
  ExitCode code = ExitCode::kFailed;
  int stop_signal = 0;                    // SIGINT, SIGTERM or SIGHUP when a signal ended the run
  bool is_stopped_by_observer = false;    // and no signal came
  std::optional<Failure> failure;         // when the run failed
  std::vector<Slot> unanswered;           // who did not end when asked to stop, and was killed
  std::optional<Step> newest_checkpoint;  // announced in this run
  Step last_step = 0;                     // that this run told of
  Step first_step = 0;                    // the step whose state training began from
  std::optional<double> seconds = {};     // from the first roster to the end of training
  std::map<Slot, std::uintmax_t> log_begins = {};  // bytes that earlier processes left in the logs
  int restarts = 0;                                // of members
  int changes = 0;                                 // of members, while the job trained on
};

/// How many files we open to run so many members.
std::int64_t filesOfRun(std::int64_t members);

/// Starts the job's processes, watches them until the last has ended, starts those again that are
/// lost, and shows what they report on `out`. Worker 0 writes the files, as in a cluster.
///
/// Blocks SIGINT, SIGTERM, SIGHUP and SIGCHLD while it runs. Requires a process
/// with one thread and no other children. Fails, after ending every process it started, if pipes or
/// files cannot be created.
Result<LocalJobResult> superviseJob(const LocalJobOptions& options, const Clock& clock,
                                    std::ostream& out, Terminal terminal);

}  // namespace sumac::cli
