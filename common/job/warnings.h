#pragma once

#include <string>
#include <vector>

#include "common/job/training_job.h"

namespace sumac::job {

/// What is legal but slow in this job, each with better choices
/// (docs/design/exchange.md#choosing-v).
std::vector<std::string> warningsFor(const TrainingJob& job);

}  // namespace sumac::job
