#include "planner/checks/checks.h"

#include <algorithm>
#include <cmath>

#include "base/core/units.h"

namespace sumac::planner {
namespace {

Error wrongQuantity(std::string_view what, const Quantity& quantity, std::string_view wanted) {
  std::string message(what);
  message += ": found ";
  message += toString(quantity);
  message += " for ";
  message += quantity.name;
  message += ", must be a number ";
  message += wanted;
  return Error{ErrorCode::kInvalid, std::move(message)};
}

}  // namespace

std::string toString(const Quantity& quantity) {
  std::string text = shortText(quantity.value);
  if (!quantity.unit.empty()) text += " ";
  text += quantity.unit;
  return text;
}

Result<void> checkPositive(std::string_view what, std::initializer_list<Quantity> quantities) {
  for (const Quantity& quantity : quantities) {
    if (!std::isfinite(quantity.value) || quantity.value <= 0) {
      return wrongQuantity(what, quantity, "> 0");
    }
  }
  return {};
}

Result<void> checkNotNegative(std::string_view what, std::initializer_list<Quantity> quantities) {
  for (const Quantity& quantity : quantities) {
    if (!std::isfinite(quantity.value) || quantity.value < 0) {
      return wrongQuantity(what, quantity, ">= 0");
    }
  }
  return {};
}

Result<std::int64_t> countFrom(std::string_view what, double value) {
  constexpr double kLargestExact = 9007199254740992.0;  // 2^53
  if (!(value <= kLargestExact)) {
    return Error{ErrorCode::kInvalid, std::string(what) + ": the count is above 2^53"};
  }
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(value * (1 - kRounding))));
}

}  // namespace sumac::planner
