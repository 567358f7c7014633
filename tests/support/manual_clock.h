#pragma once

#include "base/core/clock.h"

namespace sumac {

/// A clock that stands still until a test moves it.
class ManualClock final : public Clock {
 public:
  TimePoint now() const override { return now_; }
  void advance(Duration by) { now_ += by; }

 private:
  TimePoint now_{};
};

}  // namespace sumac
