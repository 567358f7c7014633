#pragma once

#include <optional>
#include <string>

#include "common/base/result.h"
#include "common/job/training_job.h"

namespace sumac::job {

/// The job in a file, as the members of a job read it: resolved by whoever started them, and fit to
/// run. `workers` stands over worker.replicas: the document is written once and lasts for the job's
/// life, but their number may change from one attempt to the next. Fails with all problems in one
/// message.
Result<TrainingJob> readJobFile(const std::string& path, std::optional<int> workers = {});

}  // namespace sumac::job
