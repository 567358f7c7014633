#include "base/core/check.h"

namespace sumac {

void failCheck(std::string_view condition, const std::string& operands) {
  throw InvariantViolation("broken invariant: " + std::string(condition) +
                           (operands.empty() ? "" : ": " + operands));
}

}  // namespace sumac
