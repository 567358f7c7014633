#pragma once

#include <cstddef>
#include <vector>

#include "job/profile/job_profile.h"
#include "worker/train/step_times.h"

namespace sumac::worker {

/// What a worker computes in a step, in the order of its parts.
struct ProfiledBlock {
  std::vector<int> parts;      // of each contribution
  std::size_t parameters = 0;  // values of a contribution before those that are no gradient
};

/// The events of a step in the order of `step`, at the times of `batch`, which is a profile of this
/// share: weights are awaited while the first part's forward pass goes through their layers; the
/// values of a contribution become final in the backward pass of its last part, as those of the
/// tensors do, and what is no gradient at its end. Within a tensor in proportion to its values.
/// Requires events of `block`.
StepTimes profiledTimes(StepTimes step, const BatchProfile& batch, const ProfiledBlock& block);

}  // namespace sumac::worker
