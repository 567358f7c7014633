#pragma once

#include <string>

#include "base/core/clock.h"
#include "base/core/slot.h"
#include "base/core/step.h"

namespace sumac {

/// One member that waits for another; /stuck and the log show it. A value type.
struct Wait {
  Slot who;
  Slot whom;
  Step step = 0;  // 0: none in particular
  std::string what;
  TimePoint since;
};

/// Shorter waits are usual and not shown.
inline constexpr Duration kWaitShown = std::chrono::seconds(1);
/// After so long a worker asks who sums whom the sum waits for, and not more often.
inline constexpr Duration kWaitAsked = std::chrono::seconds(3);
/// Longer ones are logged without being asked for, and not more often.
inline constexpr Duration kWaitWarned = std::chrono::seconds(10);
static_assert(kWaitShown < kWaitAsked && kWaitAsked < kWaitWarned);

}  // namespace sumac
