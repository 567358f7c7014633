#pragma once

#include <optional>

#include "kube/api/training_job.h"
#include "operator/trainingjob/state/record.h"
#include "operator/trainingjob/state/spec_problem.h"

namespace sumac::trainingjob {

/// The record of a job, or why there is none.
struct MadeRecord {
  std::optional<JobRecord> record;
  std::optional<SpecProblem> problem;  // present exactly if `record` is not
};

/// Makes the record of a new job: fills in all defaults and checks the spec and its pod templates.
MadeRecord makeRecord(const api::TrainingJob& job, const Defaults& defaults);

/// What is wrong with the pod templates of a job that has its record; empty: nothing.
std::optional<SpecProblem> templateProblem(const api::TrainingJob& job, const JobRecord& record);

}  // namespace sumac::trainingjob
