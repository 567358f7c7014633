#include "operator/control/rate_limiter.h"

#include "kube/client/backoff.h"

namespace sumac::control {

Duration RateLimiter::reserve() {
  const MutexLock lock(mutex_);
  return bucket_.reserve(clock_.now());
}

bool RateLimiter::acquire(const std::stop_token& stop) {
  const Duration wait = reserve();
  if (wait <= Duration::zero()) return !stop.stop_requested();
  waited_ns_.fetch_add(std::chrono::nanoseconds(wait).count(), std::memory_order_relaxed);
  return kube::sleepFor(wait, stop);
}

double RateLimiter::waitedSeconds() const {
  const std::chrono::nanoseconds waited(waited_ns_.load(std::memory_order_relaxed));
  return std::chrono::duration<double>(waited).count();
}

}  // namespace sumac::control
