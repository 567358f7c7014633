#pragma once

#include <chrono>
#include <deque>
#include <map>

#include "base/core/clock.h"
#include "base/core/slot.h"

namespace sumac {

/// Detects slots whose processes join and are lost again and again: each change costs all others a
/// step, so the next process of such a slot has to wait. A pure state machine; owned by the
/// coordinator.
class Flapping {
 public:
  /// So many losses within so long.
  static constexpr std::size_t kLosses = 3;
  static constexpr Duration kWithin = std::chrono::seconds(60);

  /// `wait`: how long after the last loss; zero: not at all.
  explicit Flapping(Duration wait) : wait_(wait) {}

  /// A process of the slot was a member, and is lost.
  void lost(Slot slot, TimePoint now);
  /// Whether the next process of the slot may not join yet.
  bool mustWait(Slot slot, TimePoint now) const;

 private:
  Duration wait_;
  std::map<Slot, std::deque<TimePoint>> losses_;  // the newest kLosses
};

}  // namespace sumac
