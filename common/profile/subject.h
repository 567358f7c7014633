#pragma once

#include "common/job/training_job.h"
#include "common/model/network.h"
#include "common/profile/job_profile.h"

namespace sumac {

/// What a profile of this job with this network is of.
ProfileSubject subjectOf(const job::TrainingJob& job, const model::Network& network);

}  // namespace sumac
