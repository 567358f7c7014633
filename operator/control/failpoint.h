#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/core/result.h"

namespace sumac::control {

/// Points in a pass at which a test can kill the operator by SIGKILL, as if its node were lost.
/// SUMAC_OPERATOR_FAILPOINT=<name> selects one. Without it, a point costs one comparison. The
/// points are in the order of a pass.
enum class Failpoint {
  kPassBegin,
  kBeforeChildCreate,  // a Service, ConfigMap, Secret or NetworkPolicy
  kAfterChildCreate,
  kBeforePodDelete,
  kAfterPodDelete,   // of the first pod; requests for others may be under way
  kAfterPodDeletes,  // all pods of one wave
  kBeforePodCreate,
  kAfterPodCreate,   // of the first pod; requests for others may be under way
  kAfterPodCreates,  // all pods of one pass
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

/// Fails with kInvalid, listing all names, unless `name` is empty or one of kFailpointNames.
Result<void> checkFailpointName(std::string_view name);

/// Kills the process if `point` is the selected one. The environment is read on the first call.
void failpoint(Failpoint point);

}  // namespace sumac::control
