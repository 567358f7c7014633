#pragma once

#include <string>

#include "common/base/result.h"
#include "common/job/training_job.h"
#include "common/model/network.h"
#include "common/plan/exchange_plan.h"

namespace sumac {

/// What every member derives from the job document and the vocabulary of the data.
struct JobPlan {
  model::Network network;
  ExchangePlan exchange;
  std::string text;  // planText()
};

/// `vocabulary`: the number of words of the data, 0 for data without words. Fails when the network
/// cannot be built with it.
Result<JobPlan> makeJobPlan(const job::TrainingJob& job, int vocabulary);

}  // namespace sumac
