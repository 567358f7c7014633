#pragma once

#include <vector>

#include "operator/trainingjob/apply/apply_pass.h"
#include "operator/trainingjob/state/actions.h"

namespace sumac::trainingjob {

/// Deletes pods of one job in parallel, and remembers those that are gone or will be.
void deletePods(ApplyPass& pass, const std::vector<DeletePod>& pods);

}  // namespace sumac::trainingjob
