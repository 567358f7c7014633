#include "exchange/plan/job_plan.h"

#include <string>
#include <utility>

#include "exchange/plan/plan_text.h"
#include "job/document/network_of.h"

namespace sumac {

namespace {

Result<JobPlan> makeProgramPlan(const job::TrainingJob& job, std::int64_t values) {
  if (values < 1 || values > kLargestVector) {
    return Error{ErrorCode::kInvalid, "a program cannot exchange " + std::to_string(values) +
                                          " values, only 1 to " + std::to_string(kLargestVector)};
  }
  JobPlan plan;
  plan.exchange = makeExchangePlan({values}, job.training.logical_workers);
  plan.exchange.codec = job.strategy.codec;
  plan.text = planText(job, plan.network, plan.exchange);
  return plan;
}

}  // namespace

Result<JobPlan> makeJobPlan(const job::TrainingJob& job, std::int64_t size) {
  if (job.program) return makeProgramPlan(job, size);
  if (size < 0 || size > kLargestVocabulary)
    return Error{ErrorCode::kInvalid, "no network knows " + std::to_string(size) + " words"};
  auto network = job::networkOf(job, static_cast<int>(size));
  if (!network) return network.error();
  JobPlan plan;
  plan.network = *std::move(network);
  plan.exchange =
      makeExchangePlan(plan.network, job.training.batch_size, job.training.logical_workers);
  if (job.training.noise_scale) addSquares(plan.exchange);
  plan.exchange.codec = job.strategy.codec;
  plan.text = planText(job, plan.network, plan.exchange);
  return plan;
}

}  // namespace sumac
