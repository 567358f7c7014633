#pragma once

#include <vector>

#include "operator/trainingjob/policy/failure.h"

namespace sumac::trainingjob {

/// How long after the first consequence (exit code 75 or 143) its cause may appear, and after a
/// failure the termination messages of the others: they end within 5 s of the loss of a member.
inline constexpr std::chrono::seconds kCauseWindow{10};
/// The same if the failure would end the job and a member has not ended: Kubernetes declares a node
/// lost after about 50 s, and marks its pods as disrupted 30 s later.
inline constexpr std::chrono::seconds kLastCauseWindow{100};

/// Decides to look up the missing members of a running attempt, and returns whether there are any
/// that were not looked up: nothing can be decided then. The cache alone does not show that a pod
/// is gone: the watch of an operator that has just taken over may be broken unnoticed, and minutes
/// old.
bool lookUpMissing(Draft& draft);

/// Whether a member has failed. If findCause() returned nothing, it waits for the cause.
bool hasFailedMember(const Draft& draft);

/// The failures of the attempt's pods that are not handled yet: the most specific kind first, then
/// the earliest.
std::vector<Failure> failuresOf(const Draft& draft);

/// How long after a failure that was handled other members may end because of it.
inline constexpr std::chrono::seconds kEffectWindow{60};

/// Whether an exit code of 75 or 143 is the consequence of a failure that was handled just before,
/// or of a member that is not there again yet.
bool isExplained(const Draft& draft, const Failure& failure);

/// The failure that ended this attempt, if there is one: of all failed pods the one with the most
/// specific kind, then the earliest. While there are only consequences and a cause may still
/// appear, and before a failure ends the job while a member may still say that there was progress,
/// it requests another pass and returns nothing.
std::optional<Failure> findCause(Draft& draft);

}  // namespace sumac::trainingjob
