#pragma once

#include <cstdint>
#include <string_view>

#include "base/core/result.h"
#include "exchange/plan/exchange_plan.h"
#include "job/document/training_job.h"
#include "job/model/network.h"
#include "job/profile/job_profile.h"
#include "job/profile/profile_use.h"
#include "planner/exchange_cost/cost_fit.h"
#include "planner/exchange_cost/step_time.h"

namespace sumac::planner {

/// What a profile's links and sums say of exchanges on one of its paths, whose ends share the
/// profile's cores: hop, message and byte fitted to what was measured, with several kinds of
/// exchange also the cost of every step, and of bytes in large vectors; the rate of sums as
/// measured. What was not measured stays as StepCosts has it; what jobs are slower than that is
/// what it typically is, and not in the residuals. Fails as fitCosts().
Result<CostFit> costsOf(const JobProfile& profile, std::string_view path);

/// What of a job its document does not say.
struct MemberPlacement {
  bool shares_cores = true;     // workers divide the machine's cores; else each takes them all
  std::int64_t vocabulary = 0;  // words of the data; 0: as the Penn Treebank has
  std::int64_t time_steps = 0;  // of the network's samples of text; 0: as training.unroll says
};

/// Of one sample of text; 0 of other networks.
std::int64_t timeStepsOf(const model::Network& network);

/// How a job exchanges its gradient: as it says, and where that is `algorithm: auto` as a
/// coordinator decides with `costs`.
ExchangeMethod methodOf(const job::TrainingJob& job, const ExchangePlan& plan,
                        const ExchangeCosts& costs);

/// How a job with these members exchanges its gradient, by methodOf(). Rows of an embedding whose
/// words do not occur are not sent: how many do is estimated (Heaps' law), from the time steps; all
/// rows where nobody says these. Requires a synchronous job.
ExchangeShape exchangeShapeOf(const job::TrainingJob& job, const ExchangePlan& plan,
                              const ExchangeCosts& costs, const MemberPlacement& placement = {});

/// The threads of each worker, where `auto` divides so many cores by the workers of the job.
int threadsOf(const job::TrainingJob& job, double cores, const MemberPlacement& placement = {});

/// Of a mini-batch, what the worker with the most samples has.
Share largestShare(const job::TrainingJob& job, int threads);

/// A step of the job by its profile: of the worker with most samples, since all wait for it. Fails
/// as batchFor(), with kUnsupported for a job that is not synchronous, and with kInvalid where the
/// profile's tensors have more values than the plan's network.
Result<StepShape> profiledStep(const job::TrainingJob& job, const ExchangePlan& plan,
                               const JobProfile& profile, const ExchangeCosts& costs,
                               const MemberPlacement& placement = {});

}  // namespace sumac::planner
