#pragma once

#include <chrono>

#include "operator/trainingjob/policy/draft.h"
#include "operator/trainingjob/policy/failure.h"

namespace sumac::trainingjob {

/// At least this long between two restarts for another number of workers, where the job's
/// runPolicy.scaleCoolDownSeconds does not say otherwise: an autoscaler may change it every 15 s,
/// and each restart costs the steps since the newest checkpoint.
inline constexpr std::chrono::minutes kScaleCoolDown{5};
/// The same where the number changes in place: nothing is lost then.
inline constexpr std::chrono::seconds kScaleCoolDownInPlace{10};

/// How long a larger number of workers may wait for room, where the job's runPolicy.scaleFitSeconds
/// does not say otherwise: what a cluster autoscaler needs for a new node.
inline constexpr std::chrono::minutes kScaleFit{5};

/// How long a smaller number of workers waits for a worker that stays to train before it is told.
inline constexpr std::chrono::minutes kStayPatience{5};

/// Follows a changed number of workers of an elastic job, if the last change is long enough ago.
/// Where members come and go within the attempt only the number changes: the pods of the new
/// indices are created, or those of the highest are deleted. Elsewhere, and before all members have
/// joined, a new attempt begins; a larger number that the cluster has no room for goes back to the
/// last one that ran. A job of fixed size keeps its size until it is suspended. Returns whether the
/// status must be written before anything else is decided.
bool scale(Draft& draft);

/// Goes back before runPolicy.scaleFitSeconds are over if members gave up waiting for a pod that
/// the cluster has no room for: that is no failure of the job. Returns whether it did.
bool goBackAfter(Draft& draft, const Failure& failure);

/// Adds to the message of condition Running until when a larger number of workers waits for room,
/// and which number has to wait until when, because the last restart was lately or it did not fit.
/// Requires that scale() returned false.
void showScale(Draft& draft);

}  // namespace sumac::trainingjob
