#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/core/clock.h"
#include "base/core/slot.h"
#include "base/core/step.h"

namespace sumac {

/// What the workers of a roster are to do so that another roster can follow.
struct ChangeOrder {
  enum class Kind {
    kNone,       // nothing new
    kPrepare,    // answer with the highest step begun, and begin no later one
    kHaltAfter,  // finish `step`, then halt
    kHaltNow,    // halt after the last step that is done
    kIssue,      // all have halted: the next roster can be issued
  };
  Kind kind = Kind::kNone;
  Step step = 0;

  bool operator==(const ChangeOrder&) const = default;
};

/// The way from one roster to the next: a stop that goes on
/// (docs/adr/0019-a-change-is-a-stop-that-goes-on.md).
///
/// A planned change, when a worker joins or leaves, loses no work: after kGather, in which more
/// changes may be planned, each worker names the highest step that it has begun; all finish the
/// highest of these and halt. If a member is lost, or that step is not done within kPatience, all
/// workers halt where they are. A worker that is lost meanwhile is no longer waited for. A pure
/// state machine, for one roster; owned by the coordinator.
class MembershipChange {
 public:
  static constexpr Duration kGather = std::chrono::milliseconds(100);
  static constexpr Duration kPatience = std::chrono::seconds(8);

  /// `workers`: those of the roster.
  explicit MembershipChange(std::set<Slot> workers) : awaited_(std::move(workers)) {}

  /// A member wants to join or to leave. Does nothing if a change is under way.
  void plan(TimePoint now);
  /// Cancels a planned change that no worker knows of yet.
  void dropPlan() {
    if (state_ == State::kGathering) state_ = State::kNone;
  }
  /// A member of the roster, worker or server, is lost: all workers have to halt.
  ChangeOrder lost(Slot member);
  /// The same for a member that nobody needs any more: no worker has to halt for it.
  ChangeOrder forget(Slot member);
  /// A worker's answer to kPrepare: `begun` is the highest step that it has begun.
  ChangeOrder prepared(Slot worker, Step begun);
  /// A worker has halted; `done`: the step whose state it has, none: it has none.
  ChangeOrder halted(Slot worker, std::optional<Step> done);
  ChangeOrder tick(TimePoint now);
  /// All workers have to halt where they are, whatever they were asked before.
  ChangeOrder halt();

  /// The order in force, for a worker that may have missed it.
  ChangeOrder current() const;
  bool isUnderWay() const { return state_ > State::kGathering; }
  /// Who has halted, and after which step.
  const std::map<Slot, std::optional<Step>>& halted() const { return halted_; }

 private:
  enum class State { kNone, kGathering, kVoting, kFinishing, kHalting };

  ChangeOrder count();

  std::set<Slot> awaited_;  // workers that live
  State state_ = State::kNone;
  TimePoint since_{};  // of the plan, then of the vote
  std::map<Slot, Step> begun_;
  Step last_ = 0;  // to be finished
  std::map<Slot, std::optional<Step>> halted_;
};

}  // namespace sumac
