#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sumac {

/// How often durations of which size came, for a loop that must not wait or allocate: what a
/// Histogram takes over when somebody asks. A value type.
struct DurationCounts {
  /// Seconds, the upper ends of the buckets: from a small network's step to one that waits for a
  /// checkpoint on a slow disk. The last bucket is open.
  static constexpr std::array<double, 15> kBounds = {
      0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60};

  std::array<std::uint64_t, kBounds.size() + 1> counts{};
  double seconds = 0;  // all of them together

  void observe(double duration) {
    std::size_t bucket = 0;
    while (bucket < kBounds.size() && duration > kBounds[bucket])
      ++bucket;
    ++counts[bucket];
    seconds += duration;
  }

  /// What came after `earlier`, a value of these counts before.
  DurationCounts since(const DurationCounts& earlier) const {
    DurationCounts more = *this;
    for (std::size_t i = 0; i < counts.size(); ++i)
      more.counts[i] -= earlier.counts[i];
    more.seconds -= earlier.seconds;
    return more;
  }
};

}  // namespace sumac
