#pragma once

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// activeDeadlineSeconds since startTime, preRunningDeadlineSeconds since the job last began to
/// wait for its pods. Fails the job when one has passed (returns true), else asks for a pass at
/// that time.
bool enforceDeadlines(Draft& draft);

}  // namespace sumac::trainingjob
