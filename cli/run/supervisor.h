#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "base/core/error.h"
#include "base/core/exit_code.h"
#include "base/core/slot.h"
#include "cli/run/failure.h"
#include "cli/run/restart_rule.h"

namespace sumac::cli {

/// What to do with one process.
struct Action {
  enum class Kind { kStart, kTerminate, kKill };  // terminate: SIGTERM, kill: SIGKILL

  Kind kind = Kind::kStart;
  Slot slot;

  bool operator==(const Action&) const = default;
};

/// Decides about the processes of one local run: when each is started, what a loss means for the
/// others, who is started again, how to stop, and the run's exit code.
///
/// A pure state machine without processes, pipes and clock. Each event returns what to do now; call
/// tick() at deadline(). Events of processes that have ended already are ignored.
class Supervisor {
 public:
  // Members of a job end by themselves within 5 s of a loss, and of the coordinator's end in a stop
  // (docs/failure-model.md). A stop may take StopTimes::kKill. A member that fails by itself has
  // told the others, so each of them gets at most half a second.
  static constexpr std::chrono::seconds kReadyTime{10};
  // A program loads its libraries and its data before it joins: as runPolicy.joinSeconds.
  static constexpr std::chrono::seconds kProgramReadyTime{600};
  static constexpr std::chrono::seconds kLossTime{5};
  static constexpr std::chrono::seconds kTerminateTime{3};
  static constexpr std::chrono::milliseconds kToldTime{200};
  static constexpr std::chrono::milliseconds kToldTerminateTime{300};
  static constexpr std::chrono::seconds kEndTime{60};

  /// How often members are started again, where the job's members may change (restart_rule.h).
  struct Changes {
    int restarts = 0;
  };

  /// Without servers, worker 0 coordinates. No changes: a loss ends the job for all. A user's
  /// program may end with exit code 0 before it has joined: that ends the job, too.
  Supervisor(int servers, int workers, std::optional<Changes> changes = std::nullopt,
             bool has_program = false);

  std::vector<Action> start(TimePoint now);

  /// The coordinator listens.
  std::vector<Action> ready(TimePoint now);

  /// These members train from now on. Where they may not change, the others end by themselves when
  /// one is lost from now on; before, they would wait for another process of its slot.
  void rosterBegan(std::set<Slot> members) { rule_.rosterBegan(std::move(members)); }
  /// The job has done this step.
  void stepDone(Step step) { rule_.stepDone(step); }
  /// The job has its result: nobody is started again.
  void complete() { is_complete_ = true; }

  /// Sets the number of workers from now on: starts some, or asks those with the highest indices to
  /// stop. Requires that the members may change.
  std::vector<Action> resize(int workers, TimePoint now);
  /// The job comes to the same end without this member: its end is no failure from now on.
  void dispensable(Slot slot) { dispensable_.insert(slot); }

  std::vector<Action> ended(Slot slot, Ending ending, TimePoint now);
  std::vector<Action> notStarted(Slot slot, const Error& why, TimePoint now);

  /// We received SIGINT, SIGTERM or SIGHUP.
  std::vector<Action> signalled(int signal, TimePoint now);
  std::vector<Action> tick(TimePoint now);

  std::optional<TimePoint> deadline() const;

  /// The members that are started again, decided since the last call.
  std::vector<Restart> takeRestarts() { return std::exchange(restarts_, {}); }
  /// The number of workers that are wanted.
  int workers() const { return workers_; }
  /// All have joined, and nothing has ended the job.
  bool isTraining() const { return rule_.hasBegun() && phase_ == Phase::kRunning && !is_complete_; }

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
  /// A start of a member that has ended.
  struct PendingStart {
    TimePoint time;
    std::optional<Restart> untold;  // takeRestarts() returns it once the member starts
  };

  enum class Phase { kStarting, kRunning, kEnding, kFailing, kStopping, kKilling };

  bool hasEndedWell(Slot slot, const Ending& ending) const {
    return ending.isClean() || dispensable_.contains(slot);
  }
  Action begin(Slot slot, TimePoint now);
  std::chrono::seconds readyTime() const;
  std::vector<Action> left(Slot slot, TimePoint now);
  std::vector<Action> endedBadly(Slot slot, const Ending& ending, TimePoint now);
  void needAllAgain(TimePoint now);
  std::vector<Action> endedWell(TimePoint now);
  std::vector<Action> startAgain(TimePoint now);
  std::vector<Action> killLeavers(TimePoint now);
  std::vector<Action> fail(Failure failure, TimePoint now);
  TimePoint endOfOthers(const Failure& failure, TimePoint now) const;
  bool trainOn(const Failure& failure) const;
  Duration timeToEnd() const;
  bool haveJoined() const { return rule_.hasBegun(); }
  std::vector<Action> toLiving(Action::Kind kind) const;
  std::vector<Action> startOthers(TimePoint now);
  std::vector<Action> killAll();

  const Slot coordinator_;  // starts first and ends last
  const int servers_;
  const bool may_change_;
  const bool has_program_;  // workers are the user's program
  int workers_;
  RestartRule rule_;
  Phase phase_ = Phase::kStarting;
  std::map<Slot, std::optional<Ending>> members_;  // of all that were started, and are wanted
  std::set<Slot> dispensable_;
  bool is_complete_ = false;
  std::optional<TimePoint> ready_by_;            // of the coordinator's process
  std::map<Slot, PendingStart> pending_starts_;  // of those that have ended
  std::map<Slot, TimePoint> leavers_;  // asked to stop as nobody wants them; when they are killed
  std::vector<Restart> restarts_;      // not taken yet
  std::optional<TimePoint> deadline_;  // of the phase
  std::optional<Failure> failure_;
  int stop_signal_ = 0;
  std::vector<Slot> unanswered_;
  bool terminated_ = false;  // we asked the others to end, so later endings are our doing
};

}  // namespace sumac::cli
