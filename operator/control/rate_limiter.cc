#include "operator/control/rate_limiter.h"

namespace sumac::control {

bool RateLimiter::acquire(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  const TimePoint now = clock_.now();
  const Duration wait = bucket_.reserve(now);
  if (wait <= Duration::zero()) return !stop.stop_requested();
  waited_ns_.fetch_add(std::chrono::nanoseconds(wait).count(), std::memory_order_relaxed);
  never_.wait_until(lock, stop, now + wait, [] { return false; });
  return !stop.stop_requested();
}

double RateLimiter::waitedSeconds() const {
  const std::chrono::nanoseconds waited(waited_ns_.load(std::memory_order_relaxed));
  return std::chrono::duration<double>(waited).count();
}

}  // namespace sumac::control
