#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace sumac::planner {

/// A number that somebody gave a cost model.
struct Quantity {
  std::string_view name;  // "the time of a step"
  double value = 0;
  std::string_view unit;  // "s"; empty for a ratio or a count
};

/// "0.25 s": six significant digits, and the unit if there is one.
std::string toString(const Quantity& quantity);

/// Fails with kInvalid unless every quantity is a finite number > 0. `what` begins the message.
Result<void> checkPositive(std::string_view what, std::initializer_list<Quantity> quantities);

/// The same for finite numbers >= 0.
Result<void> checkNotNegative(std::string_view what, std::initializer_list<Quantity> quantities);

/// The smallest count >= 1 that is not below `value`, whose last digits may be off by rounding.
/// Fails with kInvalid if it is not a number or above 2^53.
Result<std::int64_t> countFrom(std::string_view what, double value);

/// The difference between two computed values that counts as rounding, relative.
inline constexpr double kRounding = 1e-12;

}  // namespace sumac::planner
