#pragma once

#include <set>
#include <vector>

#include "base/core/slot.h"
#include "exchange/coordinator/admission.h"

namespace sumac {

/// The members of the roster in force: who is still there, who lacks the state, who has trained to
/// the end. Every roster starts with a new one of these; before the first roster nobody is in one.
/// A pure state machine; owned by the coordinator.
class RosterMembers {
 public:
  /// `admission`, which outlives us, has the roster and the processes that hold its slots now.
  /// `self`: the coordinator's slot.
  RosterMembers(const Admission& admission, Slot self);

  /// Whether the process that holds this slot now is in the roster: another one may have joined
  /// since.
  bool has(Slot slot) const;
  /// The workers of the roster that are still there.
  std::vector<Slot> workers() const;
  /// The worker that writes checkpoints; worker 0 before the first roster.
  Slot writer() const;
  /// Whether no worker, or no member that sums, would be left without `leavers`. Members that have
  /// joined for the next roster count.
  bool wouldEndWithout(const std::set<Slot>& leavers) const;

  /// The member has left or is lost: it gets no more messages, and its own are ignored.
  void markGone(Slot slot) { gone_.insert(slot); }
  /// Another process has joined in its slot.
  void markBack(Slot slot) { gone_.erase(slot); }
  bool isGone(Slot slot) const { return gone_.contains(slot); }

  /// The workers that wait for the state that the roster starts with.
  const std::set<Slot>& lacking() const { return lacking_; }
  /// A worker has received that state; returns whether it was waiting for it.
  bool markReady(Slot worker) { return lacking_.erase(worker) > 0; }

  /// A worker has the weights of the last step; returns whether that is news.
  bool markTrained(Slot worker) { return trained_.insert(worker).second; }
  bool hasAnyTrained() const { return !trained_.empty(); }
  bool haveAllTrained() const;
  /// Whether the job comes to the same end without this member. The writer still evaluates and
  /// writes the result when the steps are done; the others have nothing left to do then, unless
  /// others still need their sums or a state of them. Requires a roster.
  bool isDispensable(Slot member) const;
  /// The members that have become dispensable since the last call. Requires a roster.
  std::vector<Slot> takeDispensable();

 private:
  const Admission* admission_;
  Slot self_;
  std::set<Slot> gone_;
  std::set<Slot> lacking_;
  std::set<Slot> trained_;
  std::set<Slot> dispensable_;  // that takeDispensable() has returned
};

}  // namespace sumac
