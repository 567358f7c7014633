#pragma once

#include <string>
#include <vector>

#include "common/api/training_job.h"
#include "common/base/wall_time.h"

namespace sumac::cli {

/// What a condition says about a job, in a sentence: "no pods run; resume it to go on".
std::string meaningOf(const api::Condition& condition);

/// What somebody who looks at this job should do next. `program` is how we are called: "sumac" or
/// "kubectl sumac".
std::string nextStep(const api::TrainingJob& job, WallTime now, const std::string& program);

/// "1: failed for good, starting again does not help"; empty for codes that say nothing.
std::string exitCodeMeaning(int code);

}  // namespace sumac::cli
