#pragma once

#include "operator/trainingjob/failure.h"

namespace sumac::trainingjob {

/// After the first consequence (75, 143): this long its cause may take to show, members end within
/// 5 s of the loss of another.
inline constexpr std::chrono::seconds kCauseWindow{10};
/// The same where the job would fail for good and a member is silent: a lost node is declared lost
/// after about 50 s, and its pods are marked as disrupted 30 s later.
inline constexpr std::chrono::seconds kLastCauseWindow{100};

/// What ended this attempt, if anything did: of all pods the most telling, then the earliest. Asks
/// for another pass instead while only consequences are seen and a cause may still show.
std::optional<Failure> findCause(Draft& draft);

}  // namespace sumac::trainingjob
