#pragma once

#include <vector>

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// If a pod still runs this long after its deletion was due, its node counts as lost.
inline constexpr std::chrono::seconds kOverdue{30};

/// Deletes these pods in two waves: first all but slot 0, then slot 0 after the processes of the
/// others have ended, because it coordinates them. Pods that are already being deleted are left
/// alone, except on lost nodes, where they are force-deleted.
void deletePods(Draft& draft, const std::vector<const api::Pod*>& pods);

}  // namespace sumac::trainingjob
