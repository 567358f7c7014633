#pragma once

#include "common/api/fields.h"
#include "common/api/training_job.h"

namespace sumac::api::internal {

/// status of a TrainingJob, as the operator wrote it; absent: as it was at creation.
JobStatus readStatus(const Fields& fields);

}  // namespace sumac::api::internal
