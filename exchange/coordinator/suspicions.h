#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "base/core/clock.h"
#include "base/core/slot.h"

namespace sumac {

/// Decides which of the members that cannot reach each other has to go. Only one member of such a
/// pair reports it, and a connection may be cut one way, so it does not matter which: the member
/// that is in most pairs goes, of equal ones a worker, then the higher index. The coordinator,
/// which decides, never goes. A pure state machine; owned by the coordinator.
class Suspicions {
 public:
  /// How long pairs are collected, from the first one on: the lanes of a process that is cut off
  /// do not fail all at once.
  static constexpr Duration kGather = std::chrono::seconds(1);

  /// `one` cannot reach `other`, another slot. The same again changes nothing.
  void add(Slot one, Slot other, TimePoint now);
  /// The member is gone: drops its pairs.
  void forget(Slot member);
  /// The member that has to go now; none: nobody, or not yet.
  std::optional<Slot> judge(TimePoint now, Slot coordinator) const;

 private:
  std::set<std::pair<Slot, Slot>> pairs_;  // the lower slot first
  TimePoint since_{};                      // the first of them
};

}  // namespace sumac
