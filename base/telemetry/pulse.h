#pragma once

#include <atomic>

#include "base/core/clock.h"

namespace sumac {

/// When a loop was last seen to advance: the loop beats, whoever is asked for its health looks.
/// Safe from any thread.
class Pulse {
 public:
  explicit Pulse(TimePoint now) : last_(now.time_since_epoch().count()) {}

  void beat(TimePoint now) {
    last_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }

  /// How long ago the last beat was.
  Duration silence(TimePoint now) const {
    return now.time_since_epoch() - Duration(last_.load(std::memory_order_relaxed));
  }

 private:
  std::atomic<Duration::rep> last_;
};

}  // namespace sumac
