#pragma once

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// Succeeded: a main container of this attempt exited 0 and left a result. Nothing else counts: not
/// the phase of a pod, not its sidecars, not how the other members end. Returns whether it is so.
bool complete(Draft& draft);

}  // namespace sumac::trainingjob
