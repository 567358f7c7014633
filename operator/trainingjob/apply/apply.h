#pragma once

#include <stop_token>

#include "operator/trainingjob/apply/apply_pass.h"
#include "operator/trainingjob/state/actions.h"

namespace sumac::trainingjob {

/// Carries out one decision for one job, once. Order: look-ups, children, pods, deletions, status,
/// events. If a step fails or is rejected, the later steps are left to the next pass. Nothing is
/// sent after `stop`, nor after kLongestApply.
Applied apply(const ApplyParts& parts, const std::stop_token& stop, JobNotes& notes,
              const api::TrainingJob& job, const Decision& decision);

}  // namespace sumac::trainingjob
