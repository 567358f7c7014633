#pragma once

#include <chrono>
#include <thread>

#include "base/core/clock.h"

namespace sumac {

/// Looks for something that comes soon before its thread sleeps for it: to sleep and to be woken
/// costs 10 to 50 us of time where the core halts meanwhile, as those of virtual machines do.
///
/// Between two looks the core is offered to other threads. Where one of them keeps it, to compute,
/// the next calls do not look at all: who sleeps is woken in time, who offers its core waits for
/// its turn. Owned by one thread.
class BriefWatch {
 public:
  /// Longer than what others exchange on the core; shorter than what they compute.
  static constexpr Duration kKept = std::chrono::microseconds(150);
  static constexpr int kCallsLeftOut = 8;

  /// Looks for `most` at most. `clock` outlives us.
  BriefWatch(const Clock& clock, Duration most) : clock_(&clock), most_(most) {}

  /// Calls `isThere` until it returns true. False: it has not, sleep.
  template <typename IsThere>
  bool watch(const IsThere& isThere) {
    if (left_out_ > 0) {
      --left_out_;
      return false;
    }
    const TimePoint begun = clock_->now();
    TimePoint looked = begun;
    while (!isThere()) {
      std::this_thread::yield();
      const TimePoint now = clock_->now();
      if (now - looked > kKept) left_out_ = kCallsLeftOut;
      if (left_out_ > 0 || now - begun >= most_) return false;
      looked = now;
    }
    return true;
  }

 private:
  const Clock* clock_;
  Duration most_;
  int left_out_ = 0;  // calls to come that do not look
};

}  // namespace sumac
