#pragma once

#include <atomic>

#include "common/base/clock.h"

namespace sumac::control {

/// Whether this process may write in the leader's name. It is asked right before each write, and
/// answers by time: a process that stood still for longer than its lease wakes with a shut gate
/// although nobody has told it yet. Safe from any thread.
class WriteGate {
 public:
  void openUntil(TimePoint end) {
    end_.store(end.time_since_epoch().count(), std::memory_order_release);
  }
  void shut() { openUntil(TimePoint::min()); }

  bool isOpen(TimePoint now) const {
    return now.time_since_epoch().count() < end_.load(std::memory_order_acquire);
  }

 private:
  std::atomic<Duration::rep> end_ = TimePoint::min().time_since_epoch().count();
};

}  // namespace sumac::control
