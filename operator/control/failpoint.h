#pragma once

#include <array>
#include <string>
#include <string_view>

#include "common/base/result.h"

namespace sumac::control {

/// Points in a pass at which a test may kill the operator as a lost node would: by SIGKILL, with
/// nothing cleaned up. SUMAC_OPERATOR_FAILPOINT=<name> arms one; unset, a point costs one
/// comparison. The order is that of a pass.
enum class Failpoint {
  kPassBegin,
  kBeforeChildCreate,  // a Service, ConfigMap, Secret or NetworkPolicy
  kAfterChildCreate,
  kBeforePodDelete,
  kAfterPodDelete,   // of the first pod; others may be on their way
  kAfterPodDeletes,  // all of one wave
  kBeforePodCreate,
  kAfterPodCreate,   // of the first pod; others may be on their way
  kAfterPodCreates,  // all of one pass
  kBeforeStatusWrite,
  kAfterStatusWrite,  // accepted by the API server, not yet seen by our watch
  kAfterEvents,
};

/// The names, in the order of the enumerators.
inline constexpr std::array<std::string_view, 12> kFailpointNames = {
    "pass-begin",        "before-child-create", "after-child-create", "before-pod-delete",
    "after-pod-delete",  "after-pod-deletes",   "before-pod-create",  "after-pod-create",
    "after-pod-creates", "before-status-write", "after-status-write", "after-events"};

inline constexpr const char* kFailpointVariable = "SUMAC_OPERATOR_FAILPOINT";

/// Whether `name` is empty or one of the table; fails with kInvalid and all names.
Result<void> checkFailpointName(std::string_view name);

/// Does not return when this point is the armed one. The environment is read at the first call.
void failpoint(Failpoint point);

}  // namespace sumac::control
