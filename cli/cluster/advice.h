#pragma once

#include <string>
#include <vector>

#include "common/api/training_job.h"
#include "common/base/wall_time.h"

namespace sumac::cli {

/// What a condition says about a job: "no pods run until it is resumed".
std::string meaningOf(const api::Condition& condition);

/// What somebody who looks at this job should do next. `program` is how we are called: "sumac" or
/// "kubectl sumac".
std::string nextStep(const api::TrainingJob& job, WallTime now, const std::string& program);

/// Of code 1 "failed, and a retry does not help"; empty for codes that say nothing.
std::string exitCodeMeaning(int code);

}  // namespace sumac::cli
