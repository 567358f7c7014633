#pragma once

#include <string>

#include "base/core/exit_code.h"
#include "base/core/slot.h"

namespace sumac::cli {

/// How a process ended: by itself with a code, or by a signal.
struct Ending {
  int code = 0;    // exit status; meaningless when signal != 0
  int signal = 0;  // 0: ended by itself

  bool isClean() const { return code == 0 && signal == 0; }
  bool is(ExitCode wanted) const { return signal == 0 && code == toInt(wanted); }
  std::string text() const;  // "exit code 75", "killed by signal 9 (Killed)"
  std::string verb() const;  // "ended with exit code 75", "was killed by signal 9 (Killed)"

  bool operator==(const Ending&) const = default;
};

/// Why a run failed.
struct Failure {
  enum class Kind { kEnded, kNotStarted, kNotReady, kDidNotEnd };

  Kind kind = Kind::kEnded;
  Slot slot;
  Ending ending;            // of kEnded; of kNotStarted the code that stands for it
  std::string detail;       // of kNotStarted; of kNotReady the time that it had
  std::string reason = {};  // what the member said last, where it could; the caller adds it
  int restarts = 0;         // of the member, in a row and without progress, before it ended so

  std::string text() const;
  /// What it means for the whole run.
  ExitCode code() const;

  /// Of what another member did, and says.
  bool isConsequence() const { return isEnd(ExitCode::kLostPeers) || isEnd(ExitCode::kStopped); }
  /// Of a member that lost its peers.
  bool isLostPeers() const { return isEnd(ExitCode::kLostPeers); }
  /// The member cannot run the job: nothing is running yet that could end by itself.
  bool isRefusal() const;
  /// Of a member that ended by itself and knew why: waiting for the others brings nothing.
  bool isForGood() const;

 private:
  bool isEnd(ExitCode code) const { return kind == Kind::kEnded && ending.is(code); }
};

/// Whether a member that was asked to stop has ended as expected: also by a signal, which it may
/// not have handled yet, and by SIGKILL if it `was_killed` by us.
bool isPartOfStop(const Ending& ending, bool was_killed);

}  // namespace sumac::cli
