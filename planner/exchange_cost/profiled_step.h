#pragma once

#include <string_view>

#include "common/base/result.h"
#include "common/job/training_job.h"
#include "common/plan/exchange_plan.h"
#include "common/profile/job_profile.h"
#include "planner/exchange_cost/cost_fit.h"
#include "planner/exchange_cost/step_time.h"

namespace sumac::planner {

/// What a profile's links and sums say of exchanges on one of its paths: hop, message and byte
/// fitted to the messages there and back, the rate of sums as measured. What was not measured stays
/// as ExchangeCosts has it. Fails as fitCosts().
Result<CostFit> costsOf(const JobProfile& profile, std::string_view path);

/// How a job with these members exchanges its gradient; `algorithm: auto` is decided with `costs`,
/// as a coordinator does. Requires a synchronous job.
ExchangeShape exchangeShapeOf(const job::TrainingJob& job, const ExchangePlan& plan,
                              const ExchangeCosts& costs);

/// The threads of each worker, where `auto` divides so many cores by the workers of the job.
int threadsOf(const job::TrainingJob& job, double cores);

/// A step of the job by its profile: of the worker with most samples, since all wait for it. Fails
/// as batchFor(), and with kUnsupported for a job that is not synchronous.
Result<StepShape> profiledStep(const job::TrainingJob& job, const ExchangePlan& plan,
                               const JobProfile& profile, const ExchangeCosts& costs);

}  // namespace sumac::planner
