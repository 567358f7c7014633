#pragma once

#include <atomic>

#include "base/core/clock.h"

namespace sumac::control {

/// Whether this process may write as the leader. Checked right before each write. It closes by
/// time: a process that was frozen for longer than its lease finds the gate closed when it wakes,
/// before it has read the lease. Safe from any thread.
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
