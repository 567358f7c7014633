#pragma once

#include <concepts>
#include <ostream>
#include <string_view>
#include <type_traits>

namespace sumac {

/// An enum whose values toString() names.
template <typename Value>
concept NamedEnum = std::is_enum_v<Value> && requires(Value value) {
  { toString(value) } -> std::same_as<std::string_view>;
};

/// Prints that name. A namespace inside ours says `using sumac::operator<<;` for its own enums.
template <NamedEnum Value>
std::ostream& operator<<(std::ostream& out, Value value) {
  return out << toString(value);
}

}  // namespace sumac
