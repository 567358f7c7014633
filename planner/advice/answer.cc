#include "planner/advice/answer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "planner/checks/checks.h"
#include "planner/efficiency/statistical_efficiency.h"

namespace sumac::planner {
namespace {

/// The whole job by the best single worker without servers; nothing where none was predicted.
std::optional<double> secondsOfOne(const std::vector<Way>& ways) {
  std::optional<double> best;
  for (const Way& way : ways)
    if (way.choice.members() == 1) best = std::min(best.value_or(way.seconds), way.seconds);
  return best;
}

/// The same at the best speed that was profiled: for ranking where no single worker is predicted.
double profiledSecondsOfOne(const AdviceQuestion& question) {
  double best = 0;
  for (const BatchProfile& batch : question.profile.batches) {
    const double seconds = batch.computeSeconds();
    if (seconds > 0) best = std::max(best, static_cast<double>(batch.samples) / seconds);
  }
  const auto samples = static_cast<double>(question.job.training.batch_size);
  return best > 0 ? question.steps * samples / best : 0;
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

std::vector<BrokenLimit> obstaclesOf(const AdviceQuestion& question, const Way& way) {
  std::vector<BrokenLimit> obstacles;
  const auto compare = [&obstacles](PlanLimit limit, double found, const auto& most) {
    if (most && found > static_cast<double>(*most))
      obstacles.push_back({limit, found, static_cast<double>(*most)});
  };
  compare(PlanLimit::kMemory, static_cast<double>(way.memory.needed()), way.memory.limit_bytes);
  compare(PlanLimit::kDeadline, way.seconds, question.deadline_seconds);
  if (way.cost) compare(PlanLimit::kBudget, *way.cost, question.budget);
  return obstacles;
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

Way wayOf(const PreparedWay& from, std::int64_t steps, const StepTime& step, double link_error) {
  Way way;
  way.choice = from.choice;
  way.steps = steps;
  way.step = step;
  way.step.bound = boundOf(step);
  way.threads = from.shape.compute.threads;
  way.margin = marginOf(step, from.compute_spread, link_error);
  way.seconds = static_cast<double>(steps) * step.seconds();
  way.samples_per_second = static_cast<double>(way.choice.batch) / step.seconds();
  way.memory = from.memory;
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

void rank(const AdviceQuestion& question, double price_factor, std::vector<Way>& ways) {
  constexpr double kSecondsPerHour = 3600;
  const auto one = secondsOfOne(ways);
  const double seconds_of_one = one.value_or(profiledSecondsOfOne(question));
  for (Way& way : ways) {
    if (question.machine && question.machine->price_per_hour)
      way.cost = way.seconds / kSecondsPerHour * way.choice.members() * price_factor *
                 question.machine->price_per_hour->value;
    if (one) way.speedup = *one / way.seconds;
    way.efficiency = seconds_of_one / way.seconds / way.choice.workers;
    way.obstacles = obstaclesOf(question, way);
  }
  std::ranges::stable_sort(ways, {}, [&question](const Way& way) {
    return std::tuple(!way.obstacles.empty(), weightOf(way, question.goal), way.choice.members());
  });
}

Result<Answer> answerUnder(const AdviceQuestion& question, const PreparedWays& prepared,
                           const Conditions& conditions) {
  Answer answer;
  for (const PreparedWay& way : prepared.ways) {
    const auto count = stepsWith(question, way.choice.batch);
    if (!count) return count.error();
    const StepTime step = predictedStep(prepared, way, conditions);
    if (auto checked = checkPositive("plan", {{"the time of a step", step.seconds(), "s"}});
        !checked)
      return checked.error();
    answer.ways.push_back(wayOf(way, *count, step, prepared.link_error));
  }
  rank(question, conditions.price_factor, answer.ways);
  answer.recommended = simplestOfBest(answer.ways, question.goal);
  return answer;
}

std::string_view toString(PlanGoal goal) {
  switch (goal) {
    case PlanGoal::kTime: return "time";
    case PlanGoal::kCost: return "cost";
    case PlanGoal::kEfficiency: return "efficiency";
  }
  return {};
}

}  // namespace sumac::planner
