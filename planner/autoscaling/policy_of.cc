#include "planner/autoscaling/policy_of.h"

namespace sumac::autoscaling {
namespace {

Goal goalOf(job::AutoscalingPolicy policy) {
  switch (policy) {
    case job::AutoscalingPolicy::kThroughput: return Goal::kThroughput;
    case job::AutoscalingPolicy::kEfficiency: return Goal::kEfficiency;
    case job::AutoscalingPolicy::kDeadline: return Goal::kDeadline;
    case job::AutoscalingPolicy::kCost: return Goal::kCost;
  }
  return Goal::kThroughput;
}

}  // namespace

Policy policyOf(const job::AutoscalingSpec& spec) {
  return {.goal = goalOf(spec.policy),
          .target_efficiency = spec.target_efficiency,
          .deadline_seconds = static_cast<double>(spec.deadline_seconds),
          .prices = {spec.worker_hour, spec.server_hour},
          .budget = spec.budget,
          .stabilization_seconds = static_cast<double>(spec.stabilization_seconds)};
}

}  // namespace sumac::autoscaling
