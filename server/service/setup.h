#pragma once

#include <string>

#include "common/base/result.h"
#include "common/job/training_job.h"
#include "common/plan/exchange_plan.h"

namespace sumac::server {

/// What a server makes of the job document.
struct Setup {
  job::TrainingJob job;
  ExchangePlan plan;
  std::string plan_text;
};

/// Reads the resolved job document at `path`. Fails with all of its problems, one a line.
Result<Setup> readSetup(const std::string& path);

}  // namespace sumac::server
