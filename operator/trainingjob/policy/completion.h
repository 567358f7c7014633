#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Marks the job as succeeded if a main container of this attempt exited with 0 and left a result.
/// Nothing else counts: not a pod's phase, its sidecars, or how the other members end. Returns
/// whether the job has succeeded.
bool complete(Draft& draft);

}  // namespace sumac::trainingjob
