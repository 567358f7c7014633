#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>

#include "base/core/clock.h"
#include "base/core/mutex.h"
#include "base/core/token_bucket.h"

namespace sumac::control {

/// Makes threads wait for tokens of a token bucket, first come, first served. Safe from any thread.
class RateLimiter {
 public:
  RateLimiter(const Clock& clock, double rate, int burst) : clock_(clock), bucket_(rate, burst) {}

  /// Waits for a token. False: stop was requested first; the token is lost then, which does not
  /// matter in a process that ends.
  bool acquire(const std::stop_token& stop);

  /// Total waiting time of all calls, for metrics.
  double waitedSeconds() const;

 private:
  /// Takes a token; returns how long to wait until it is due.
  Duration reserve();

  const Clock& clock_;  // outlives us

  Mutex mutex_;
  TokenBucket bucket_ SUMAC_GUARDED_BY(mutex_);

  std::atomic<std::int64_t> waited_ns_ = 0;
};

}  // namespace sumac::control
