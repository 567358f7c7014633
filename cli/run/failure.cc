#include "cli/run/failure.h"

#include <csignal>
#include <cstring>

#include "base/core/units.h"
#include "cli/run/supervisor.h"

namespace sumac::cli {
namespace {

/// What a member's ending means for the whole run.
ExitCode codeOf(const Ending& ending) {
  switch (ending.signal) {
    case 0: break;
    case SIGABRT:
    case SIGSEGV:
    case SIGBUS:
    case SIGFPE:
    case SIGILL: return ExitCode::kBrokenInvariant;
    default:
      return ExitCode::kLostPeers;  // killed from outside: a restart resumes from the checkpoint
  }
  for (const ExitCode code :
       {ExitCode::kUsage, ExitCode::kResourceFailed, ExitCode::kLostPeers,
        ExitCode::kBadConfiguration, ExitCode::kBrokenInvariant, ExitCode::kStopped}) {
    if (ending.code == toInt(code)) return code;
  }
  return ExitCode::kFailed;
}

std::string endText(const Failure& failure) {
  const std::string member = toString(failure.slot);
  const Ending& ending = failure.ending;
  if (ending.isClean()) {
    return member +
           " ended with exit code 0 before it joined the job: a program has to join and to "
           "train until Sumac says that the job is complete";
  }
  if (failure.isRefusal()) return member + " cannot run this job: " + ending.text();
  if (failure.isLostPeers()) return member + " lost another member: " + ending.text();
  if (failure.isConsequence()) return "a member was asked to stop, so all have stopped";
  // By itself, as when the loss is not finite or the disk is full.
  if (ending.signal == 0) return member + " failed: " + ending.text();
  return member + " was lost: " + ending.text();
}

}  // namespace

std::string Ending::text() const {
  if (signal == 0) return "exit code " + std::to_string(code);
  const char* const name = ::strsignal(signal);
  return "killed by signal " + std::to_string(signal) + " (" + (name ? name : "unknown") + ")";
}

std::string Ending::verb() const {
  return (signal != 0 ? "was " : "ended with ") + text();
}

std::string Failure::text() const {
  const std::string member = toString(slot);
  switch (kind) {
    case Kind::kEnded:
      if (restarts == 0) return endText(*this);
      return member + " " + ending.verb() + " after it was started again " +
             counted(restarts, "time") + " without progress";
    case Kind::kNotStarted: return member + " could not be started: " + detail;
    case Kind::kNotReady: return member + " did not report its endpoint within " + detail;
    case Kind::kDidNotEnd:
      return member + " did not end within " + std::to_string(Supervisor::kEndTime.count()) +
             " s of the others";
  }
  return {};
}

ExitCode Failure::code() const {
  const bool has_code = kind == Kind::kEnded || kind == Kind::kNotStarted;
  return has_code ? codeOf(ending) : ExitCode::kFailed;
}

bool Failure::isRefusal() const {
  return kind == Kind::kNotStarted || isEnd(ExitCode::kBadConfiguration) || isEnd(ExitCode::kUsage);
}

bool Failure::isForGood() const {
  return isRefusal() || (kind == Kind::kEnded && ending.signal == 0 && !isConsequence());
}

bool isPartOfStop(const Ending& ending, bool was_killed) {
  switch (ending.signal) {
    case 0:
      return ending.isClean() || ending.is(ExitCode::kStopped) || ending.is(ExitCode::kLostPeers);
    case SIGTERM:
    case SIGINT:
    case SIGHUP: return true;
    case SIGKILL: return was_killed;
    default: return false;
  }
}

}  // namespace sumac::cli
