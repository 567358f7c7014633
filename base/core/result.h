#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "base/core/check.h"
#include "base/core/error.h"

namespace sumac {

/// A value, or the reason why there is none. Named as C++23's std::expected, so that moving there
/// is a rename.
///
/// Failure: value() and error() throw InvariantViolation when called in the wrong state.
template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit on purpose: `return value;` and `return Error{...};` are how results are made.
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    requireValue();
    return std::get<0>(state_);
  }
  const T& value() const& {
    requireValue();
    return std::get<0>(state_);
  }
  T&& value() && {
    requireValue();
    return std::get<0>(std::move(state_));
  }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    SUMAC_CHECK(!has_value());
    return std::get<1>(state_);
  }

 private:
  void requireValue() const {
    if (!has_value()) failCheck("result has a value", std::get<1>(state_).message);
  }

  std::variant<T, Error> state_;
};

/// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor)
  Result(Error error) : error_(std::move(error)), failed_(true) {}

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }

  const Error& error() const {
    SUMAC_CHECK(failed_);
    return error_;
  }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace sumac
