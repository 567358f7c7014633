#pragma once

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// spec.suspend, both ways. Going: a status that says so, then the pods in two waves, then
/// Suspended is True. Coming back: a status with the next attempt, the templates and the size as
/// the spec has them now, then pods as usual. Counts neither as failure nor as restart. Returns
/// whether this pass is over: nothing else may be decided.
bool suspendOrResume(Draft& draft);

}  // namespace sumac::trainingjob
