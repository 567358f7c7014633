#pragma once

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/error.h"
#include "base/core/exit_code.h"
#include "base/core/step.h"
#include "base/log/log.h"

namespace sumac {

/// How a process ends, and why.
struct ProcessEnd {
  ExitCode code = ExitCode::kDone;
  std::string reason;  // of a member that is done: the JSON result
  std::optional<Step> step =
      {};  // the last one completed, for the operator; not of one that is done
};

/// The end for `error`: kResourceFailed where it is kUnavailable, since that may work later or
/// elsewhere, kLostPeers where it is kStale: the others go on without this process; else
/// `otherwise`.
ProcessEnd endOf(const Error& error, ExitCode otherwise);

/// Runs `body`; the end of the process where an exception leaves it: kBrokenInvariant for a failed
/// SUMAC_CHECK, endOf() with kBadConfiguration of a ThrownError, kResourceFailed where the system
/// or memory failed (`no_memory` is the reason then), else kFailed. The one place that catches
/// everything, for the root of a thread.
std::optional<ProcessEnd> endOfException(const std::function<void()>& body,
                                         std::string_view no_memory = "not enough memory");

/// The end that `body` returns, or the one of an exception that leaves it.
ProcessEnd runToEnd(const std::function<ProcessEnd()>& body,
                    std::string_view no_memory = "not enough memory");

/// Makes a resource of the machine that fails end the process with its reason wherever that
/// happens: a write beyond the largest size of a file (`ulimit -f`) fails with EFBIG, where SIGXFSZ
/// would end the process without a word, and a failure of memory or of the system that no root of a
/// thread catches, or a library aborts for, ends it with kResourceFailed. Call it first in main().
void reportFailedResources();

/// Logs the end, writes its reason and step to `termination_file` (empty: to none) and returns the
/// exit status.
int reportEnd(const ProcessEnd& end, const Log& log,
              const std::filesystem::path& termination_file = {});

/// The exit status of a command that printed to standard output, `out`: `code`, or kFailed with a
/// message on `err` if it is kDone and not all could be written.
int endOfOutput(int code, std::ostream& out, std::ostream& err);

}  // namespace sumac
