#include "base/core/token_bucket.h"

#include <algorithm>
#include <cmath>

#include "base/core/check.h"

namespace sumac {

TokenBucket::TokenBucket(double rate, int burst) : rate_(rate), burst_(burst), tokens_(burst) {
  SUMAC_CHECK(rate > 0 && burst >= 1, rate, burst);
}

Duration TokenBucket::reserve(TimePoint now) {
  using Seconds = std::chrono::duration<double>;
  // A clock that is read by several threads may be a little behind what another one saw.
  if (used_ && now > last_) {
    tokens_ = std::min(burst_, tokens_ + rate_ * Seconds(now - last_).count());
  }
  last_ = used_ ? std::max(last_, now) : now;
  used_ = true;
  tokens_ -= 1;
  if (tokens_ >= 0) return Duration::zero();
  return std::chrono::ceil<Duration>(Seconds(-tokens_ / rate_)) + (last_ - now);
}

}  // namespace sumac
