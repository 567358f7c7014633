#pragma once

#include <string>

#include "base/core/result.h"
#include "kube/api/training_job.h"
#include "operator/trainingjob/progress/progress_source.h"

namespace sumac::trainingjob {

/// Reads the answer of /progress. Fails with kInvalid, naming the field, if it is not about this
/// attempt of this job, or has a value that a status cannot hold.
Result<ProgressAnswer> progressFromAnswer(const std::string& body, const ProgressTarget& target);

}  // namespace sumac::trainingjob
