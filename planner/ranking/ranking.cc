#include "planner/ranking/ranking.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "planner/checks/checks.h"

namespace sumac::planner {
namespace {

constexpr std::string_view kPlan = "plan";
constexpr double kSecondsPerHour = 3600;

Error planError(const std::string& reason) {
  return Error{ErrorCode::kInvalid, std::string(kPlan) + ": " + reason};
}

Result<void> checkRequest(const PlanRequest& request) {
  const PlanLimits& limits = request.limits;
  auto checked = checkPositive(
      kPlan,
      {{"the time of one worker", request.seconds_of_one_worker, "s"},
       {"the deadline", limits.deadline_seconds.value_or(1), "s"},
       {"the budget", limits.budget.value_or(1), ""},
       {"the memory of a member", static_cast<double>(limits.member_bytes.value_or(1)), "bytes"}});
  if (!checked) return checked;
  if (!request.price_per_hour && (request.goal == PlanGoal::kCost || limits.budget))
    return planError("a cost is asked for, but no price is known; give one and its source");
  return checkNotNegative(
      kPlan, {{"the price of a machine", request.price_per_hour.value_or(0), "an hour"}});
}

Result<void> checkCandidate(const PlanCandidate& candidate) {
  auto checked = checkPositive(
      kPlan, {{"the workers", static_cast<double>(candidate.workers), ""},
              {"the mini-batch", static_cast<double>(candidate.batch), "samples"},
              {"the steps", candidate.steps, ""},
              {"the time of a step", candidate.seconds_per_step, "s"},
              {"the time of all steps", candidate.steps * candidate.seconds_per_step, "s"}});
  if (!checked) return checked;
  return checkNotNegative(kPlan,
                          {{"the servers", static_cast<double>(candidate.servers), ""},
                           {"the memory", static_cast<double>(candidate.member_bytes), "bytes"}});
}

/// Machines of a candidate. As a double: their number need not fit.
double machinesOf(const PlanCandidate& candidate) {
  return static_cast<double>(candidate.workers) + static_cast<double>(candidate.servers);
}

std::vector<BrokenLimit> obstaclesOf(const PlanCandidate& candidate, const RankedPlan& plan,
                                     const PlanLimits& limits) {
  std::vector<BrokenLimit> obstacles;
  const auto compare = [&obstacles](PlanLimit limit, double found, const auto& most) {
    if (most && found > static_cast<double>(*most))
      obstacles.push_back({limit, found, static_cast<double>(*most)});
  };
  compare(PlanLimit::kMemory, static_cast<double>(candidate.member_bytes), limits.member_bytes);
  compare(PlanLimit::kDeadline, plan.seconds, limits.deadline_seconds);
  if (plan.cost) compare(PlanLimit::kBudget, *plan.cost, limits.budget);
  return obstacles;
}

RankedPlan planOf(const PlanCandidate& candidate, const PlanRequest& request) {
  RankedPlan plan;
  plan.seconds = candidate.steps * candidate.seconds_per_step;
  if (request.price_per_hour)
    plan.cost = plan.seconds / kSecondsPerHour * machinesOf(candidate) * *request.price_per_hour;
  plan.efficiency =
      request.seconds_of_one_worker / plan.seconds / static_cast<double>(candidate.workers);
  plan.obstacles = obstaclesOf(candidate, plan, request.limits);
  return plan;
}

/// Low values are good.
double scoreOf(const RankedPlan& plan, PlanGoal goal) {
  switch (goal) {
    case PlanGoal::kTime: return plan.seconds;
    case PlanGoal::kCost: return plan.cost.value_or(0);
    case PlanGoal::kEfficiency: return -plan.efficiency;
  }
  return plan.seconds;
}

}  // namespace

std::string_view toString(PlanGoal goal) {
  switch (goal) {
    case PlanGoal::kTime: return "time";
    case PlanGoal::kCost: return "cost";
    case PlanGoal::kEfficiency: return "efficiency";
  }
  return {};
}

Result<std::vector<RankedPlan>> rankPlans(std::span<const PlanCandidate> candidates,
                                          const PlanRequest& request) {
  if (candidates.empty()) return planError("there is no candidate");
  if (auto checked = checkRequest(request); !checked) return checked.error();
  std::vector<RankedPlan> plans;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (auto checked = checkCandidate(candidates[i]); !checked) return checked.error();
    plans.push_back(planOf(candidates[i], request));
    plans.back().candidate = i;
  }
  const auto key = [&](const RankedPlan& plan) {
    return std::tuple(!plan.obstacles.empty(), scoreOf(plan, request.goal),
                      machinesOf(candidates[plan.candidate]), plan.candidate);
  };
  std::sort(plans.begin(), plans.end(),
            [&](const RankedPlan& a, const RankedPlan& b) { return key(a) < key(b); });
  return plans;
}

}  // namespace sumac::planner
