#pragma once

#include <cstdint>
#include <string>

#include "base/core/result.h"
#include "exchange/plan/exchange_plan.h"
#include "job/document/training_job.h"
#include "job/model/network.h"

namespace sumac {

/// The most words of data that a network is built with; limits what a peer can make us compute.
inline constexpr std::int64_t kLargestVocabulary = 10'000'000;

/// What every member derives from the job document and the vocabulary of the data.
struct JobPlan {
  model::Network network;
  ExchangePlan exchange;
  std::string text;  // planText()
};

/// `vocabulary`: the number of words of the data, 0 for data without words. Fails when the network
/// cannot be built with it.
Result<JobPlan> makeJobPlan(const job::TrainingJob& job, std::int64_t vocabulary);

}  // namespace sumac
