#pragma once

#include "operator/trainingjob/creation.h"

namespace sumac::trainingjob {

/// Why the pods of the attempt do not all run yet, as the first of: something has a name of ours, a
/// template was changed, a pod of an earlier attempt does not go, the API server refused, a pod
/// waits for something that does not come by itself. Nothing: they are just on their way.
std::optional<Obstacle> findPendingReason(const Draft& draft);

/// The conditions Running and Restarting of a job that is neither finished nor suspended: Running
/// is True from when all pods were ready at once, until the attempt ends.
void updateRunning(Draft& draft);

}  // namespace sumac::trainingjob
