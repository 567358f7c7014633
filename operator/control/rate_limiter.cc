#include "operator/control/rate_limiter.h"

#include "common/kube/backoff.h"

namespace sumac::control {

bool RateLimiter::acquire(const std::stop_token& stop) {
  Duration wait = Duration::zero();
  {
    const MutexLock lock(mutex_);
    wait = bucket_.reserve(clock_.now());
  }
  if (wait <= Duration::zero()) return !stop.stop_requested();
  waited_ns_.fetch_add(std::chrono::nanoseconds(wait).count(), std::memory_order_relaxed);
  return kube::sleepFor(wait, stop);
}

double RateLimiter::waitedSeconds() const {
  const std::chrono::nanoseconds waited(waited_ns_.load(std::memory_order_relaxed));
  return std::chrono::duration<double>(waited).count();
}

}  // namespace sumac::control
