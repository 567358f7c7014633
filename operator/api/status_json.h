#pragma once

#include "operator/api/fields.h"
#include "operator/api/training_job.h"

namespace sumac::api::internal {

/// status of a TrainingJob, as the operator wrote it; absent: as it was at creation.
JobStatus readStatus(const Fields& fields);

}  // namespace sumac::api::internal
