#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// The highest step that the attempt is known to have reached: from progress, from the status, and
/// from the termination messages of its members, which need no network to them.
std::int64_t stepsSeen(const Draft& draft);

/// Number of failures in a row without progress: 0 if the attempt passed the highest step of all
/// earlier attempts.
int failuresInARow(const Draft& draft);

/// The same for disruptions.
int disruptionsInARow(const Draft& draft);

/// Closes the attempt in the status (highest step, failures and disruptions in a row) and begins
/// the next one (its number and size), without a pause. All existing pods belong to an earlier
/// attempt from then on.
void beginAttempt(Draft& draft);

/// Whether the next attempt starts at step 0, because no checkpoint outlives the pods.
bool losesProgress(const Draft& draft);

/// Adds a Warning event if the attempt that begins next starts at step 0.
void warnOfLostProgress(Draft& draft);

/// `count` + 1, but never beyond the largest int.
int following(int count);

}  // namespace sumac::trainingjob
