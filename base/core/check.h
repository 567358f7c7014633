#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sumac {

/// Our own bug: something that the code makes sure of does not hold. Caught only at thread roots.
class InvariantViolation : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// Throws InvariantViolation with the condition and the operands.
[[noreturn]] void failCheck(std::string_view condition, const std::string& operands);

namespace internal {

template <typename... Values>
std::string joinOperands(const Values&... values) {
  std::ostringstream out;
  ((out << values << ' '), ...);
  return out.str();
}

}  // namespace internal

}  // namespace sumac

/// Requires `condition`; the further arguments are printed when it does not hold. Never on bytes
/// from a peer.
#define SUMAC_CHECK(condition, ...)                                                 \
  do {                                                                              \
    if (!(condition)) {                                                             \
      ::sumac::failCheck(#condition, ::sumac::internal::joinOperands(__VA_ARGS__)); \
    }                                                                               \
  } while (false)
