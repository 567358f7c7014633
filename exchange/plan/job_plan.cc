#include "exchange/plan/job_plan.h"

#include <utility>

#include "exchange/plan/plan_text.h"
#include "job/document/network_of.h"

namespace sumac {

Result<JobPlan> makeJobPlan(const job::TrainingJob& job, std::int64_t vocabulary) {
  if (vocabulary < 0 || vocabulary > kLargestVocabulary)
    return Error{ErrorCode::kInvalid, "no network knows " + std::to_string(vocabulary) + " words"};
  auto network = job::networkOf(job, static_cast<int>(vocabulary));
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
