#include "worker/profile/add_rate.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace sumac::worker {

std::uint64_t measuredAddRate(const KernelTable& kernels, const Clock& clock) {
  constexpr std::size_t kValues = 64UL * 1024;
  constexpr int kFewestRuns = 4;  // one may be interrupted
  constexpr int kMostRuns = 8;
  constexpr Duration kLongest = std::chrono::milliseconds(2);
  constexpr Duration kShortest = std::chrono::nanoseconds(1);
  const std::vector<float> other(kValues, 1.0F);
  std::vector<float> sum(kValues, 0.0F);
  const TimePoint begun = clock.now();
  Duration fastest = Duration::max();
  for (int run = 0; run < kMostRuns; ++run) {
    const TimePoint before = clock.now();
    kernels.add(sum.data(), sum.data(), other.data(), kValues);
    const TimePoint after = clock.now();
    fastest = std::min(fastest, std::max(after - before, kShortest));
    if (run + 1 >= kFewestRuns && after - begun >= kLongest) break;
  }
  const double seconds = std::chrono::duration<double>(fastest).count();
  return static_cast<std::uint64_t>(kValues * sizeof(float) / seconds);
}

}  // namespace sumac::worker
