#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Enforces activeDeadlineSeconds, counted from startTime, and preRunningDeadlineSeconds, counted
/// from when the job last began to wait for its pods. The latter does not count while the
/// job waits for the pods of another number of workers. If one has passed, fails the job and
/// returns true; else requests a pass at that time.
bool enforceDeadlines(Draft& draft);

}  // namespace sumac::trainingjob
