#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Follows spec.suspend. To suspend: writes a status that says so, deletes the pods in two waves,
/// then sets Suspended to True. To resume: writes a status with the next attempt and with the size
/// and templates of the current spec, then pods are created as usual. Neither counts as a failure
/// or a restart. Returns whether this pass must decide nothing else.
bool suspendOrResume(Draft& draft);

}  // namespace sumac::trainingjob
