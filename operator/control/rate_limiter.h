#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>

#include "common/base/clock.h"
#include "common/base/token_bucket.h"

namespace sumac::control {

/// Makes threads wait for a token bucket, in the order of their coming. Safe from any thread.
class RateLimiter {
 public:
  RateLimiter(const Clock& clock, double rate, int burst) : clock_(clock), bucket_(rate, burst) {}

  /// Waits for a token. False: stop was requested first; the token is then lost, which only matters
  /// to a process that goes on.
  bool acquire(const std::stop_token& stop);

  /// What all calls have waited together, for metrics.
  double waitedSeconds() const;

 private:
  const Clock& clock_;  // outlives us

  std::mutex mutex_;
  std::condition_variable_any never_;  // nobody notifies: it is for its wait with a stop token
  TokenBucket bucket_;                 // guarded by mutex_

  std::atomic<std::int64_t> waited_ns_ = 0;
};

}  // namespace sumac::control
