#pragma once

#include "job/document/training_job.h"
#include "job/model/network.h"
#include "job/profile/job_profile.h"

namespace sumac {

/// What a profile of this job with this network is of.
ProfileSubject subjectOf(const job::TrainingJob& job, const model::Network& network);

}  // namespace sumac
