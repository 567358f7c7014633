#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/core/clock.h"

namespace sumac::trace {

/// A time as heartbeats carry it: nanoseconds of the sender's steady clock, never 0.
inline std::uint64_t stampOf(TimePoint time) {
  const std::chrono::nanoseconds since = time.time_since_epoch();
  return since.count() == 0 ? 1 : static_cast<std::uint64_t>(since.count());
}
/// Of any stamp: one beyond 146 years becomes that.
inline TimePoint timeOf(std::uint64_t stamp) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
  return TimePoint(std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(stamp, kMost))));
}

/// How far this process's steady clock is from that of the coordinator's process.
///
/// The steady clocks of one machine are one clock; those of two differ by days. A question that is
/// echoed with the coordinator's time tells the difference up to half of what the echo took: the
/// coordinator read its clock somewhere in between. The fastest echo tells it best, and an older
/// one worse, since clocks drift. A value type without a clock.
class ClockAlignment {
 public:
  static constexpr std::size_t kKept = 64;           // echoes: the last 16 s and more
  static constexpr std::int64_t kDriftPart = 10000;  // two clocks drift by at most 100 us a second
  static constexpr Duration kSlowest = std::chrono::seconds(10);  // an older echo tells nothing

  struct Offset {
    Duration to_coordinator{};  // to be added to a time of ours
    Duration uncertainty{};     // the true offset is at most so far away
    std::size_t echoes = 0;     // it was chosen from
  };

  /// This process is the coordinator's: its time is the time.
  void setReference() { is_reference_ = true; }

  /// A question sent at `sent` was answered at `theirs` of the coordinator's clock; the answer came
  /// at `received`. Ignores times that cannot be.
  void onEcho(TimePoint sent, TimePoint theirs, TimePoint received);

  /// How many echoes have come.
  std::size_t echoes() const { return echoes_; }

  /// For times of ours around `when`; nothing before the first echo.
  std::optional<Offset> at(TimePoint when) const;

 private:
  struct Echo {
    Duration offset{};
    Duration uncertainty{};
    TimePoint at;
  };

  bool is_reference_ = false;
  std::size_t echoes_ = 0;
  std::array<Echo, kKept> kept_{};  // a ring: the newest is at echoes_ - 1
};

}  // namespace sumac::trace
