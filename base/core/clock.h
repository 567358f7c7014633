#pragma once

#include <chrono>

namespace sumac {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

/// The deadline of a wait that has none.
inline constexpr TimePoint kNever = TimePoint::max();

inline double secondsBetween(TimePoint begin, TimePoint end) {
  return std::chrono::duration<double>(end - begin).count();
}

/// Monotonic time, as a parameter: tests pass a clock that they move by hand. Safe from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() const = 0;
};

/// The machine's steady clock.
class SystemClock final : public Clock {
 public:
  TimePoint now() const override;
};

}  // namespace sumac
