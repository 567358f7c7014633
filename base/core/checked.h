#pragma once

#include <concepts>
#include <limits>
#include <optional>

namespace sumac {

/// a * b, or nothing when it does not fit. For sizes that come from outside.
template <std::integral T>
constexpr std::optional<T> checkedMultiply(T a, T b) {
  T result{};
  if (__builtin_mul_overflow(a, b, &result)) return std::nullopt;
  return result;
}

/// a + b, or nothing when it does not fit.
template <std::integral T>
constexpr std::optional<T> checkedAdd(T a, T b) {
  T result{};
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

}  // namespace sumac
