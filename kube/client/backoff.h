#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>

#include "base/core/clock.h"

namespace sumac::kube {

/// Waits as long; false: stop was requested. A parameter, so that tests do not wait.
using Sleep = std::function<bool(Duration, const std::stop_token&)>;

/// Really waits.
bool sleepFor(Duration duration, const std::stop_token& stop);

/// Random numbers for jitter, by their number: uniform in [0, 1).
using Jitter = std::function<float(std::uint64_t n)>;
Jitter jitterFrom(std::uint64_t seed);

/// `first` doubled per failure in a row, at most `longest`: what jitter is applied to.
Duration doubled(Duration first, Duration longest, int failures);

/// `base` times a factor.
Duration scaled(Duration base, float factor);

}  // namespace sumac::kube
