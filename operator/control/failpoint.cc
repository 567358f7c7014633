#include "operator/control/failpoint.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace sumac::control {
namespace {

constexpr int kNone = -1;

int armedPoint() {
  const char* name = std::getenv(kFailpointVariable);
  if (name == nullptr) return kNone;
  const auto* const found = std::find(kFailpointNames.begin(), kFailpointNames.end(), name);
  return found == kFailpointNames.end() ? kNone : static_cast<int>(found - kFailpointNames.begin());
}

}  // namespace

Result<void> checkFailpointName(std::string_view name) {
  if (name.empty()) return {};
  std::string names;
  for (const std::string_view known : kFailpointNames) {
    if (known == name) return {};
    names += (names.empty() ? "" : ", ") + std::string(known);
  }
  return Error{ErrorCode::kInvalid, std::string(kFailpointVariable) + "=" + std::string(name) +
                                        " is not a failpoint; the failpoints are " + names};
}

void failpoint(Failpoint point) {
  static const int kArmed =
      armedPoint();  // never changes: the environment of a process is its start's
  if (static_cast<int>(point) != kArmed) return;
  std::raise(SIGKILL);
}

}  // namespace sumac::control
