#pragma once

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// Steps that the attempt has proven, by what was seen and what was written.
std::int64_t stepsSeen(const Draft& draft);

/// Failures in a row without progress, with what the attempt achieved taken into account: 0 when it
/// passed the highest step of all earlier ones.
int failuresInARow(const Draft& draft);

/// Closes the attempt in the status (highest step, failures in a row) and begins the next one: its
/// number and its size. Every pod that lives is of an earlier attempt from then on.
void beginAttempt(Draft& draft);

/// Where a pod is of an attempt that the status has not reached, although it is not new: somebody
/// changed its label, or the status. Begins an attempt after all of them; false: it is new, and the
/// cache will show the status that it was made by. Safe where that is late all the same: the write
/// of an old status is a conflict.
bool overtakePods(Draft& draft);

/// The next number, which stays at the largest there is.
int following(int count);

}  // namespace sumac::trainingjob
