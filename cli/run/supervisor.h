#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/error.h"
#include "base/core/exit_code.h"
#include "base/core/slot.h"

namespace sumac::cli {

/// How a process ended: by itself with a code, or by a signal.
struct Ending {
  int code = 0;    // exit status; meaningless when signal != 0
  int signal = 0;  // 0: ended by itself

  bool isClean() const { return code == 0 && signal == 0; }
  std::string text() const;  // "exit code 75", "killed by signal 9 (Killed)"
};

/// What to do with one process.
struct Action {
  enum class Kind { kStart, kTerminate, kKill };  // terminate: SIGTERM, kill: SIGKILL

  Kind kind = Kind::kStart;
  Slot slot;

  bool operator==(const Action&) const = default;
};

/// Why a run failed.
struct Failure {
  enum class Kind { kEnded, kNotStarted, kNotReady, kDidNotEnd };

  Kind kind = Kind::kEnded;
  Slot slot;
  Ending ending;            // of kEnded; of kNotStarted the code that stands for it
  std::string detail;       // of kNotStarted
  std::string reason = {};  // what the member said last, where it could; the caller adds it

  std::string text() const;
};

/// Decides about the processes of one local run: when each is started, what a loss means for the
/// others, how to stop, and the run's exit code.
///
/// A pure state machine without processes, pipes and clock. Each event returns what to do now; call
/// tick() at deadline(). Events of processes that have ended already are ignored.
class Supervisor {
 public:
  // Members of a job end by themselves within 5 s of a loss, and of the coordinator's end in a stop
  // (docs/failure-model.md). A stop may take StopTimes::kKill. A member that fails by itself has
  // told the others, so each of them gets at most half a second.
  static constexpr std::chrono::seconds kReadyTime{10};
  static constexpr std::chrono::seconds kLossTime{5};
  static constexpr std::chrono::seconds kTerminateTime{3};
  static constexpr std::chrono::milliseconds kToldTime{200};
  static constexpr std::chrono::milliseconds kToldTerminateTime{300};
  static constexpr std::chrono::seconds kEndTime{60};

  /// Without servers, worker 0 coordinates.
  Supervisor(int servers, int workers);

  std::vector<Action> start(TimePoint now);

  /// The coordinator listens.
  std::vector<Action> ready(TimePoint now);

  /// All members have joined: from now on the others end by themselves when one is lost. Before,
  /// they would wait for another process of its slot, which we do not start.
  void allJoined() { have_joined_ = true; }
  /// The job comes to the same end without this member: its end is no failure from now on.
  void dispensable(Slot slot) { dispensable_.insert(slot); }

  std::vector<Action> ended(Slot slot, Ending ending, TimePoint now);
  std::vector<Action> notStarted(Slot slot, const Error& why, TimePoint now);

  /// We received SIGINT, SIGTERM or SIGHUP.
  std::vector<Action> signalled(int signal, TimePoint now);
  std::vector<Action> tick(TimePoint now);

  std::optional<TimePoint> deadline() const { return deadline_; }

  /// Every process has ended or was not started, and none will be started.
  bool isOver() const;

  /// The original cause of a failure, in a stop too. A member that lost its peers (75) or was
  /// stopped (143) counts only when no other member's end explains more.
  const std::optional<Failure>& failure() const { return failure_; }

  /// Who did not end when asked to stop, and was killed.
  const std::vector<Slot>& unanswered() const { return unanswered_; }

  /// The signal that requested the stop; 0 for none.
  int stopSignal() const { return stop_signal_; }

  /// Requires isOver().
  ExitCode exitCode() const;

 private:
  enum class Phase { kStarting, kRunning, kEnding, kFailing, kStopping, kKilling };

  bool hasEndedWell(Slot slot, const Ending& ending) const {
    return ending.isClean() || dispensable_.contains(slot);
  }
  std::vector<Action> fail(Failure failure, TimePoint now);
  TimePoint endOfOthers(const Failure& failure, TimePoint now) const;
  std::vector<Action> toLiving(Action::Kind kind) const;
  std::vector<Action> startOthers();
  std::vector<Action> killAll();

  const Slot coordinator_;  // starts first and ends last
  const int servers_;
  const int workers_;
  Phase phase_ = Phase::kStarting;
  std::map<Slot, std::optional<Ending>> members_;  // of all that were started
  bool have_joined_ = false;
  std::set<Slot> dispensable_;
  std::optional<TimePoint> deadline_;
  std::optional<Failure> failure_;
  int stop_signal_ = 0;
  std::vector<Slot> unanswered_;
  bool terminated_ = false;  // we asked the others to end, so later endings are our doing
};

}  // namespace sumac::cli
