#pragma once

#include <string>
#include <vector>

#include "common/job/training_job.h"

namespace sumac::job {

/// What is legal but slow in this job, each with the better choices (design.md section 9).
std::vector<std::string> warningsFor(const TrainingJob& job);

}  // namespace sumac::job
