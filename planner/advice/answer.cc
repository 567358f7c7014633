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
std::optional<double> secondsOfOne(const std::vector<Configuration>& all) {
  std::optional<double> best;
  for (const Configuration& each : all)
    if (each.choice.members() == 1) best = std::min(best.value_or(each.seconds), each.seconds);
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

std::optional<std::size_t> simplestOfBest(const std::vector<Configuration>& all, PlanGoal goal,
                                          const JobChoice& written) {
  if (all.empty() || !all.front().isPossible()) return std::nullopt;
  const double least = weightOf(all.front(), goal);
  std::size_t best = 0;
  const auto key = [&](const Configuration& each) {
    return std::tuple(each.choice.members(), each.choice.batch != written.batch,
                      each.choice.codec != Codec::kFp32, !(each.choice == written));
  };
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double most = least * (1 + indifference(all.front(), all[i]));
    const bool may_be_taken = all[i].isPossible() && weightOf(all[i], goal) <= most;
    if (may_be_taken && key(all[i]) < key(all[best])) best = i;
  }
  return best;
}

std::vector<BrokenLimit> obstaclesOf(const AdviceQuestion& question, const Configuration& one) {
  std::vector<BrokenLimit> obstacles;
  const auto compare = [&obstacles](PlanLimit limit, double found, const auto& most) {
    if (most && found > static_cast<double>(*most))
      obstacles.push_back({limit, found, static_cast<double>(*most)});
  };
  compare(PlanLimit::kMemory, static_cast<double>(one.memory.needed()), one.memory.limit_bytes);
  compare(PlanLimit::kDeadline, one.seconds, question.deadline_seconds);
  if (one.cost) compare(PlanLimit::kBudget, *one.cost, question.budget);
  compare(PlanLimit::kWorkers, one.choice.workers, std::optional(question.most_workers));
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

Configuration configurationOf(const PreparedConfiguration& from, std::int64_t steps,
                              const StepTime& step, double link_error) {
  Configuration one;
  one.choice = from.choice;
  one.steps = steps;
  one.step = step;
  one.step.bound = boundOf(step);
  one.threads = from.shape.compute.threads;
  one.margin = marginOf(step, from.compute_spread, link_error);
  one.seconds = static_cast<double>(steps) * step.seconds();
  one.samples_per_second = static_cast<double>(one.choice.batch) / step.seconds();
  one.memory = from.memory;
  return one;
}

}  // namespace

double indifference(const Configuration& a, const Configuration& b) {
  return std::max(a.margin, b.margin);
}

double weightOf(const Configuration& one, PlanGoal goal) {
  switch (goal) {
    case PlanGoal::kTime: return one.seconds;
    case PlanGoal::kCost: return one.cost.value_or(0);
    case PlanGoal::kEfficiency:
      return one.efficiency > 0 ? 1 / one.efficiency : std::numeric_limits<double>::infinity();
  }
  return one.seconds;
}

Result<std::int64_t> stepsWith(const AdviceQuestion& question, std::int64_t batch) {
  constexpr std::string_view kWhat = "plan: the steps of the job";
  const std::int64_t own = question.job.training.batch_size;
  if (batch == own || !question.noise) return countFrom(kWhat, question.steps);
  const auto trade = makeBatchTrade(question.noise->samples.value, static_cast<double>(own));
  if (!trade) return trade.error();
  return countFrom(kWhat, question.steps / trade->gain(static_cast<double>(batch)));
}

void rank(const AdviceQuestion& question, double price_factor, std::vector<Configuration>& all) {
  constexpr double kSecondsPerHour = 3600;
  const auto alone = secondsOfOne(all);
  const double seconds_of_one = alone.value_or(profiledSecondsOfOne(question));
  for (Configuration& each : all) {
    if (question.machine && question.machine->price_per_hour)
      each.cost = each.seconds / kSecondsPerHour * each.choice.members() * price_factor *
                  question.machine->price_per_hour->value;
    if (alone) each.speedup = *alone / each.seconds;
    each.efficiency = seconds_of_one / each.seconds / each.choice.workers;
    each.obstacles = obstaclesOf(question, each);
  }
  std::ranges::stable_sort(all, {}, [&question](const Configuration& each) {
    return std::tuple(!each.isPossible(), weightOf(each, question.goal), each.choice.members());
  });
}

Result<Answer> answerUnder(const AdviceQuestion& question, const PreparedConfigurations& prepared,
                           const Conditions& conditions) {
  Answer answer;
  for (const PreparedConfiguration& each : prepared.configurations) {
    const auto count = stepsWith(question, each.choice.batch);
    if (!count) return count.error();
    const StepTime step = predictedStep(prepared, each, conditions);
    if (auto checked = checkPositive("plan", {{"the time of a step", step.seconds(), "s"}});
        !checked)
      return checked.error();
    answer.configurations.push_back(configurationOf(each, *count, step, prepared.link_error));
  }
  rank(question, conditions.price_factor, answer.configurations);
  answer.recommended = simplestOfBest(answer.configurations, question.goal, prepared.written);
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
