#include "kube/client/backoff.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "base/core/rng.h"

namespace sumac::kube {

bool sleepFor(Duration duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

Jitter jitterFrom(std::uint64_t seed) {
  constexpr std::uint64_t kStream = 0x6a69747465720000;  // "jitter"
  return [rng = Rng(seed, kStream)](std::uint64_t n) { return rng.uniform(n); };
}

Duration doubled(Duration first, Duration longest, int failures) {
  Duration result = first;
  for (int i = 0; i < failures && result < longest; ++i)
    result *= 2;
  return std::min(result, longest);
}

Duration scaled(Duration base, float factor) {
  return std::chrono::duration_cast<Duration>(base * static_cast<double>(factor));
}

}  // namespace sumac::kube
