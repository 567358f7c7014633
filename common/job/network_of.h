#pragma once

#include "common/base/result.h"
#include "common/job/training_job.h"

namespace sumac::job {

/// The network that a job trains: of the zoo, or its own. Fails only for a job that did not come
/// from readJob().
Result<model::Network> networkOf(const TrainingJob& job);

}  // namespace sumac::job
