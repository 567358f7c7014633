#pragma once

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// After the end, members may end by themselves for this long, and keep their logs: they do within
/// seconds.
inline constexpr std::chrono::seconds kSettling{10};

/// What is left to do for a finished job: runPolicy.cleanPodPolicy, then ttlSecondsAfterFinished.
/// Never makes anything. Requires a finished job.
void cleanUp(Draft& draft);

}  // namespace sumac::trainingjob
