#pragma once

#include <cstdint>

namespace sumac::worker {

/// By repeated squaring rather than by libm, whose last bit differs between machines. Requires
/// exponent >= 0.
constexpr double power(double base, std::int64_t exponent) {
  double result = 1.0;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace sumac::worker
