#pragma once

#include <optional>
#include <string>

#include "base/core/result.h"
#include "exchange/coordinator/sum_plan.h"
#include "exchange/coordinator/wait_limits.h"
#include "job/document/training_job.h"

namespace sumac {

/// What members that sum or coordinate derive from the job document.
struct JobSetup {
  job::TrainingJob job;
  std::string plan_text;  // the plan lines that all servers of the job share
  PlanOf plan_of;         // plans for the words of the data, which workers state
  WaitLimits limits = {};
};

JobSetup setupOf(job::TrainingJob job);
/// Reads the resolved job document at `path`; `workers` replaces its number of workers. Fails with
/// all problems of the document, one per line.
Result<JobSetup> readSetup(const std::string& path, std::optional<int> workers = {});

}  // namespace sumac
