#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/core/clock.h"
#include "base/core/slot.h"
#include "base/core/step.h"
#include "cli/run/failure.h"

namespace sumac::cli {

/// The decision to start a member again.
struct Restart {
  Slot slot;
  Ending ending;            // of its last process
  std::string reason = {};  // what that said last; the caller adds it
  int number = 0;           // in a row without progress, this one included
  int most = 0;             // the limit of these
  Duration pause{};         // before it is started

  /// "worker 1 was killed by signal 9 (Killed); starting it again (1 of 3 without progress)".
  std::string text() const;
};

/// Decides which members of a job are started again, and when. A pure state machine.
///
/// A member makes progress when the job, with it as a member, does a step that was never done
/// before; a job that always fails at the same step makes none.
///
/// What ends a member may end the job, and with it the next process of the member, which says that
/// it has lost its peers. That is one event, and counts once.
class RestartRule {
 public:
  /// `most`: restarts of a member in a row without progress; 0: no member is started again.
  explicit RestartRule(int most) : most_(most) {}

  /// These members train from now on; empty: it is not known which.
  void rosterBegan(std::set<Slot> members);
  /// The job has done this step.
  void stepDone(Step step);

  /// A member's process has ended. Returns nothing if the run has to end: another start would fail
  /// in the same way, or there were too many.
  std::optional<Restart> ended(Slot slot, const Ending& ending);

  /// How often a member was started again in a row without progress.
  int restartsOf(Slot slot) const;
  /// Whether the member's process trains; true if it is not known which do.
  bool isInRoster(Slot slot) const { return !names_members_ || roster_.contains(slot); }
  bool hasBegun() const { return has_begun_; }

 private:
  int most_;
  bool has_begun_ = false;      // there was a roster
  bool names_members_ = false;  // it said who is in it
  Step newest_ = 0;
  std::set<Slot> roster_;         // without those whose process has ended since
  std::map<Slot, int> in_a_row_;  // without progress
  std::set<Slot> explained_;      // ended by themselves, and have been in no roster since
};

}  // namespace sumac::cli
