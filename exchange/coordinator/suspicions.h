#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include "base/core/clock.h"
#include "base/core/slot.h"

namespace sumac {

/// Who of those is to go that cannot reach each other. Only one of a pair says so, and a connection
/// may be cut one way, so who says it counts for nothing: who is in more such pairs goes, of two
/// equal ones the worker, then the higher index; never the coordinator, which is the judge. A pure
/// state machine; owned by the coordinator.
class Suspicions {
 public:
  /// From the first pair on, in which others are named: all lanes of a process that is cut off are
  /// not missed at once.
  static constexpr Duration kGather = std::chrono::seconds(1);

  /// `one` cannot reach `other`, another slot. The same again changes nothing.
  void add(Slot one, Slot other, TimePoint now);
  /// It is gone anyway.
  void forget(Slot member);
  /// Who goes now.
  std::optional<Slot> judge(TimePoint now, Slot coordinator) const;

 private:
  std::set<std::pair<Slot, Slot>> pairs_;  // the lower slot first
  TimePoint since_{};                      // the first of them
};

}  // namespace sumac
