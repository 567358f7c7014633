#pragma once

#include <vector>

#include "exchange/plan/exchange_plan.h"
#include "job/document/training_job.h"
#include "planner/autoscaling/size_model.h"
#include "planner/exchange_cost/step_time.h"

namespace sumac::autoscaling {

/// What is expected of a job's steps with each useful size from `least` to `most` workers before
/// one was observed: computing in parts of the busiest worker, the exchange in seconds, alone, by
/// the planner's cost model (planner/exchange_cost) with these costs and links. The defaults are
/// those of a fast network, so that larger sizes are tried. Requires a synchronous job, and 1 <=
/// least <= most <= V.
std::vector<ExpectedStep> expectedSteps(const job::TrainingJob& job, const ExchangePlan& plan,
                                        int least, int most, const planner::StepCosts& costs = {},
                                        const planner::Surroundings& where = {});

}  // namespace sumac::autoscaling
