#pragma once

#include "job/document/training_job.h"
#include "planner/autoscaling/decide.h"

namespace sumac::autoscaling {

/// What a job's spec.autoscaling asks for.
Policy policyOf(const job::AutoscalingSpec& spec);

}  // namespace sumac::autoscaling
