#pragma once

#include <string>
#include <vector>

#include "base/core/wall_time.h"
#include "kube/api/training_job.h"

namespace sumac::cli {

/// What a condition says about a job: "no pods run until it is resumed".
std::string meaningOf(const api::Condition& condition);

/// What a user should do next about this job. `program` is the name we are called by: "sumac" or
/// "kubectl sumac".
std::string nextStep(const api::TrainingJob& job, WallTime now, const std::string& program);

/// The meaning of an exit code, of 1 "failed, and a retry does not help"; empty if unknown.
std::string exitCodeMeaning(int code);

}  // namespace sumac::cli
