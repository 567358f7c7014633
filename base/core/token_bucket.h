#pragma once

#include "base/core/clock.h"

namespace sumac {

/// How many requests may be sent: `rate` a second in the long run, `burst` at once after a rest.
/// Pure: time is a parameter. Each reservation is a place in a line: who reserves first, goes
/// first. Not thread-safe.
class TokenBucket {
 public:
  /// Requires rate > 0 and burst >= 1.
  TokenBucket(double rate, int burst);

  /// Takes one token, of the future if none is left, and returns how long to wait for it.
  Duration reserve(TimePoint now);

 private:
  double rate_;   // tokens a second
  double burst_;  // at most this many are kept
  double tokens_;
  TimePoint last_{};
  bool used_ = false;
};

}  // namespace sumac
