#pragma once

#include <vector>

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// A deletion that is this long overdue and whose process nobody saw end: the node is lost.
inline constexpr std::chrono::seconds kOverdue{30};

/// Deletes these pods in two waves: all but slot 0, and slot 0 once no process of the others lives,
/// so that it can see the others out. Pods on their way out are left alone, but for those on lost
/// nodes, which are force-deleted.
void deletePods(Draft& draft, const std::vector<const api::Pod*>& pods);

}  // namespace sumac::trainingjob
