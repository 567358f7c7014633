#pragma once

#include "common/api/training_job.h"
#include "common/base/result.h"
#include "operator/trainingjob/state/record.h"

namespace sumac::trainingjob {

/// Makes the record of a new job: fills in all defaults and checks the spec and its pod templates.
/// Fails with kInvalid and all problems, one per line (reason InvalidSpec).
Result<JobRecord> makeRecord(const api::TrainingJob& job, const Defaults& defaults);

}  // namespace sumac::trainingjob
