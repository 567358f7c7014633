#pragma once

#include <optional>
#include <string>

#include "base/core/result.h"
#include "job/document/training_job.h"

namespace sumac::job {

/// Reads the job file of a running job, which was resolved before its members were started.
/// `workers` replaces worker.replicas: the file is written once, but the number of workers may
/// change from one attempt to the next. Fails with all problems in one message.
Result<TrainingJob> readJobFile(const std::string& path, std::optional<int> workers = {});

}  // namespace sumac::job
