#include "base/core/clock.h"

namespace sumac {

TimePoint SystemClock::now() const {
  return std::chrono::steady_clock::now();
}

}  // namespace sumac
