#pragma once

#include <chrono>

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// At least this long between two restarts for another number of workers, where the job's
/// runPolicy.scaleCoolDownSeconds does not say otherwise: an autoscaler may change it every 15 s,
/// and each restart costs the steps since the newest checkpoint.
inline constexpr std::chrono::minutes kScaleCoolDown{5};

/// Begins a new attempt if the number of workers of an elastic job was changed and the last restart
/// for that is long enough ago: no mode can add or remove workers during an attempt yet. A job of
/// fixed size keeps its size until it is suspended. Returns whether the status must be written
/// before anything else is decided.
bool scale(Draft& draft);

/// While another number of workers has to wait, adds to the message of condition Running for which
/// number and until when. Requires that scale() returned false.
void showWaitingScale(Draft& draft);

}  // namespace sumac::trainingjob
