#pragma once

#include <string>

#include "common/base/result.h"
#include "common/job/training_job.h"

namespace sumac::job {

/// The job in a file, as the members of a job read it: resolved by whoever started them, and fit to
/// run. Fails with all problems in one message.
Result<TrainingJob> readJobFile(const std::string& path);

}  // namespace sumac::job
