#include "planner/advice/answer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "planner/checks/checks.h"
#include "planner/efficiency/statistical_efficiency.h"

namespace sumac::planner {
namespace {

/// The whole job by the best single worker without servers; nothing where none was predicted.
std::optional<double> secondsOfOne(const std::vector<PlanCandidate>& plans) {
  std::optional<double> best;
  for (const PlanCandidate& plan : plans) {
    if (plan.workers > 1 || plan.servers > 0) continue;
    const double seconds = plan.steps * plan.seconds_per_step;
    best = std::min(best.value_or(seconds), seconds);
  }
  return best;
}

/// The same at the best speed that was profiled: for ranking where no single worker is predicted.
double profiledSecondsOfOne(const AdviceQuestion& question, double steps) {
  double best = 0;
  for (const BatchProfile& batch : question.profile.batches) {
    const double seconds = batch.computeSeconds();
    if (seconds > 0) best = std::max(best, static_cast<double>(batch.samples) / seconds);
  }
  const auto samples = static_cast<double>(question.job.training.batch_size);
  return best > 0 ? steps * samples / best : 0;
}

std::optional<std::size_t> simplestOfBest(const std::vector<Way>& ways, PlanGoal goal) {
  if (ways.empty() || !ways.front().obstacles.empty()) return std::nullopt;
  const double least = weightOf(ways.front(), goal);
  std::size_t best = 0;
  const auto key = [&](const Way& way) {
    return std::tuple(way.choice.members(), way.choice.codec != Codec::kFp32);
  };
  for (std::size_t i = 1; i < ways.size(); ++i) {
    const double most = least * (1 + indifference(ways.front(), ways[i]));
    const bool may_be_taken = ways[i].obstacles.empty() && weightOf(ways[i], goal) <= most;
    if (may_be_taken && key(ways[i]) < key(ways[best])) best = i;
  }
  return best;
}

PlanRequest requestOf(const AdviceQuestion& question, const PreparedWays& prepared,
                      const Conditions& conditions, double seconds_of_one) {
  PlanRequest request;
  request.goal = question.goal;
  request.limits.deadline_seconds = question.deadline_seconds;
  request.limits.budget = question.budget;
  request.limits.member_bytes = prepared.ways.front().memory.limit_bytes;
  if (question.machine && question.machine->price_per_hour)
    request.price_per_hour = conditions.price_factor * question.machine->price_per_hour->value;
  request.seconds_of_one_worker = seconds_of_one;
  return request;
}

PlanCandidate candidateOf(const PreparedWay& way, std::int64_t steps, double seconds_per_step) {
  PlanCandidate plan;
  plan.workers = way.choice.workers;
  plan.servers = way.choice.servers;
  plan.batch = way.choice.batch;
  plan.steps = static_cast<double>(steps);
  plan.seconds_per_step = seconds_per_step;
  plan.member_bytes = way.memory.needed();
  return plan;
}

/// What a step waits for most: the largest of its parts.
Bound boundOf(const StepTime& step) {
  const double compute = step.forward + step.backward + step.update;
  if (step.cores > std::max(compute, step.exchange)) return Bound::kCores;
  return step.exchange > compute ? Bound::kExchange : Bound::kCompute;
}

double marginOf(const StepTime& step, double compute_spread, double link_error) {
  const double compute = step.forward + step.backward + step.update + step.cores;
  const double rest = step.exchange + step.other;
  return step.seconds() > 0 ? std::hypot(compute_spread * compute / step.seconds(),
                                         link_error * rest / step.seconds(), kModelError)
                            : 0;
}

Way wayOf(const RankedPlan& plan, const PreparedWay& from, std::int64_t steps, const StepTime& step,
          double link_error) {
  Way way;
  way.choice = from.choice;
  way.steps = steps;
  way.step = step;
  way.step.bound = boundOf(step);
  way.threads = from.shape.compute.threads;
  way.margin = marginOf(step, from.compute_spread, link_error);
  way.seconds = plan.seconds;
  way.cost = plan.cost;
  way.samples_per_second = static_cast<double>(way.choice.batch) / step.seconds();
  way.efficiency = plan.efficiency;
  way.memory = from.memory;
  way.obstacles = plan.obstacles;
  return way;
}

}  // namespace

double indifference(const Way& a, const Way& b) {
  return std::max(a.margin, b.margin);
}

double weightOf(const Way& way, PlanGoal goal) {
  switch (goal) {
    case PlanGoal::kTime: return way.seconds;
    case PlanGoal::kCost: return way.cost.value_or(0);
    case PlanGoal::kEfficiency:
      return way.efficiency > 0 ? 1 / way.efficiency : std::numeric_limits<double>::infinity();
  }
  return way.seconds;
}

Result<std::int64_t> stepsWith(const AdviceQuestion& question, std::int64_t batch) {
  constexpr std::string_view kWhat = "plan: the steps of the job";
  const std::int64_t own = question.job.training.batch_size;
  if (batch == own || !question.noise) return countFrom(kWhat, question.steps);
  const auto trade = makeBatchTrade(question.noise->samples.value, static_cast<double>(own));
  if (!trade) return trade.error();
  return countFrom(kWhat, question.steps / trade->gain(static_cast<double>(batch)));
}

Result<Answer> answerUnder(const AdviceQuestion& question, const PreparedWays& prepared,
                           const Conditions& conditions) {
  std::vector<StepTime> steps;
  std::vector<std::int64_t> counts;
  std::vector<PlanCandidate> plans;
  for (const PreparedWay& way : prepared.ways) {
    const auto count = stepsWith(question, way.choice.batch);
    if (!count) return count.error();
    counts.push_back(*count);
    steps.push_back(predictedStep(prepared, way, conditions));
    plans.push_back(candidateOf(way, *count, steps.back().seconds()));
  }
  const auto one = secondsOfOne(plans);
  const double seconds_of_one = one.value_or(profiledSecondsOfOne(question, question.steps));
  const auto ranked = rankPlans(plans, requestOf(question, prepared, conditions, seconds_of_one));
  if (!ranked) return ranked.error();
  Answer answer;
  for (const RankedPlan& plan : *ranked) {
    answer.ways.push_back(wayOf(plan, prepared.ways[plan.candidate], counts[plan.candidate],
                                steps[plan.candidate], prepared.link_error));
  }
  for (Way& way : answer.ways)
    if (one) way.speedup = *one / way.seconds;
  answer.recommended = simplestOfBest(answer.ways, question.goal);
  return answer;
}

}  // namespace sumac::planner
