#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "planner/advice/advice_parts.h"

namespace sumac::planner {
namespace {

/// The index of the smallest configuration by some measure among those that `is_in`.
std::optional<std::size_t> least(const std::vector<Configuration>& all,
                                 const std::function<double(const Configuration&)>& measure,
                                 const std::function<bool(const Configuration&)>& is_in) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_in(all[i]) && (!best || measure(all[i]) < measure(all[*best]))) best = i;
  }
  return best;
}

double secondsOf(const Configuration& one) {
  return one.seconds;
}

double costOf(const Configuration& one) {
  return one.cost.value_or(0);
}

double memoryOf(const Configuration& one) {
  return static_cast<double>(one.memory.needed());
}

bool isTooWide(const Configuration& one) {
  return std::ranges::count(one.obstacles, PlanLimit::kWorkers, &BrokenLimit::limit) > 0;
}

bool fits(const Configuration& one) {
  return one.memory.fits() && !isTooWide(one);
}

/// What a configuration needs of the limits that it does not keep: as the ranking compares them.
EnoughLimits needsOf(const AdviceQuestion& question, const Configuration& one) {
  EnoughLimits needs;
  if (question.deadline_seconds && one.seconds > *question.deadline_seconds)
    needs.deadline_seconds = one.seconds;
  if (question.budget && costOf(one) > *question.budget) needs.budget = one.cost;
  if (!one.memory.fits()) needs.memory_bytes = one.memory.needed();
  if (isTooWide(one)) needs.workers = one.choice.workers;
  return needs;
}

template <typename Value>
void lower(std::optional<Value>& least, const std::optional<Value>& value) {
  if (value && (!least || *value < *least)) least = value;
}

std::vector<EnoughLimits> enoughFor(const AdviceQuestion& question,
                                    const std::vector<Configuration>& all) {
  EnoughLimits alone;  // each of configurations that keep the other limits
  for (const Configuration& each : all) {
    const EnoughLimits needs = needsOf(question, each);
    const std::array is_broken = {needs.deadline_seconds.has_value(), needs.budget.has_value(),
                                  needs.memory_bytes.has_value(), needs.workers.has_value()};
    if (std::ranges::count(is_broken, true) > 1) continue;
    lower(alone.deadline_seconds, needs.deadline_seconds);
    lower(alone.budget, needs.budget);
    lower(alone.memory_bytes, needs.memory_bytes);
    lower(alone.workers, needs.workers);
  }
  std::vector<EnoughLimits> enough;
  if (alone.deadline_seconds) enough.push_back({.deadline_seconds = alone.deadline_seconds});
  if (alone.budget) enough.push_back({.budget = alone.budget});
  if (alone.memory_bytes) enough.push_back({.memory_bytes = alone.memory_bytes});
  if (alone.workers) enough.push_back({.workers = alone.workers});
  if (enough.empty()) enough.push_back(needsOf(question, all.front()));
  return enough;
}

}  // namespace

void addObstruction(const AdviceQuestion& question, Advice& advice) {
  const auto& all = advice.configurations;
  Obstruction& added = advice.obstruction.emplace();
  added.smallest = least(all, memoryOf, std::not_fn(isTooWide)).value_or(0);
  added.fastest = least(all, secondsOf, fits);
  added.cheapest = least(all, costOf, fits);
  if (added.fastest) {
    added.is_late = needsOf(question, all[*added.fastest]).deadline_seconds.has_value();
    added.is_dear = needsOf(question, all[*added.cheapest]).budget.has_value();
  }
  added.enough = enoughFor(question, all);
}

}  // namespace sumac::planner
