#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// How long members of a finished job may take to end by themselves, which takes seconds, before
/// their pods are deleted.
inline constexpr std::chrono::seconds kSettling{10};

/// Applies runPolicy.cleanPodPolicy, then ttlSecondsAfterFinished. Creates nothing. Requires a
/// finished job.
void cleanUp(Draft& draft);

}  // namespace sumac::trainingjob
