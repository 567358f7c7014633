#pragma once

#include "base/core/wall_time.h"
#include "operator/trainingjob/state/actions.h"
#include "operator/trainingjob/state/observed.h"

namespace sumac::trainingjob {

/// Decides what to do for one job by running all policies of this folder in a fixed order. Pure:
/// the same input gives the same decision. Each policy is one pair of files.
Decision decide(const Observed& observed, WallTime now);

}  // namespace sumac::trainingjob
