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

/// The most values of the vector that a program exchanges: 2 GiB with the loss.
inline constexpr std::int64_t kLargestVector = (std::int64_t{1} << 29U) - 1;

/// What every member derives from the job document and the size that workers state.
struct JobPlan {
  model::Network network;  // empty for a job with a program
  ExchangePlan exchange;
  std::string text;  // planText()
};

/// `size`: the number of words of the data, 0 for data without words; of a job with a program the
/// values of its vector, without the loss. Fails when the network or the vector cannot be built
/// with it.
Result<JobPlan> makeJobPlan(const job::TrainingJob& job, std::int64_t size);

}  // namespace sumac
