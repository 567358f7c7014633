#include "planner/autoscaling/expected_steps.h"

#include "planner/autoscaling/useful_sizes.h"
#include "planner/exchange_cost/profiled_step.h"

namespace sumac::autoscaling {

std::vector<ExpectedStep> expectedSteps(const job::TrainingJob& job, const ExchangePlan& plan,
                                        int least, int most, const planner::StepCosts& costs,
                                        const planner::Surroundings& where) {
  job::TrainingJob sized = job;
  std::vector<ExpectedStep> steps;
  for (const int size : usefulSizes(plan.parts, least, most)) {
    sized.worker.replicas = size;
    planner::StepShape shape;
    shape.exchange = planner::exchangeShapeOf(sized, plan, costs.exchange);
    steps.push_back({size, static_cast<double>(busiestParts(plan.parts, size)),
                     planner::stepTime(shape, costs, where).exchange});
  }
  return steps;
}

}  // namespace sumac::autoscaling
