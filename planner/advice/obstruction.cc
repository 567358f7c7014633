#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "planner/advice/advice_parts.h"

namespace sumac::planner {
namespace {

/// The index of the smallest way by some measure among those that `is_in`.
std::optional<std::size_t> least(const std::vector<Way>& ways,
                                 const std::function<double(const Way&)>& measure,
                                 const std::function<bool(const Way&)>& is_in) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    if (is_in(ways[i]) && (!best || measure(ways[i]) < measure(ways[*best]))) best = i;
  }
  return best;
}

double secondsOf(const Way& way) {
  return way.seconds;
}

double costOf(const Way& way) {
  return way.cost.value_or(0);
}

double memoryOf(const Way& way) {
  return static_cast<double>(way.memory.needed());
}

bool fitsMemory(const Way& way) {
  return way.memory.fits();
}

/// What a way needs of the limits that it does not keep: as the ranking compares them.
EnoughLimits needsOf(const AdviceQuestion& question, const Way& way) {
  EnoughLimits needs;
  if (question.deadline_seconds && way.seconds > *question.deadline_seconds)
    needs.deadline_seconds = way.seconds;
  if (question.budget && costOf(way) > *question.budget) needs.budget = way.cost;
  if (!way.memory.fits()) needs.memory_bytes = way.memory.needed();
  return needs;
}

template <typename Value>
void lower(std::optional<Value>& least, const std::optional<Value>& value) {
  if (value && (!least || *value < *least)) least = value;
}

std::vector<EnoughLimits> enoughFor(const AdviceQuestion& question, const std::vector<Way>& ways) {
  EnoughLimits alone;  // each of ways that keep the other limits
  for (const Way& way : ways) {
    const EnoughLimits needs = needsOf(question, way);
    const std::array is_broken = {needs.deadline_seconds.has_value(), needs.budget.has_value(),
                                  needs.memory_bytes.has_value()};
    if (std::ranges::count(is_broken, true) > 1) continue;
    lower(alone.deadline_seconds, needs.deadline_seconds);
    lower(alone.budget, needs.budget);
    lower(alone.memory_bytes, needs.memory_bytes);
  }
  std::vector<EnoughLimits> enough;
  if (alone.deadline_seconds) enough.push_back({.deadline_seconds = alone.deadline_seconds});
  if (alone.budget) enough.push_back({.budget = alone.budget});
  if (alone.memory_bytes) enough.push_back({.memory_bytes = alone.memory_bytes});
  if (enough.empty()) enough.push_back(needsOf(question, ways.front()));
  return enough;
}

}  // namespace

void addObstruction(const AdviceQuestion& question, Advice& advice) {
  const auto& ways = advice.ways;
  Obstruction& added = advice.obstruction.emplace();
  added.smallest = least(ways, memoryOf, [](const Way&) { return true; }).value_or(0);
  added.fastest = least(ways, secondsOf, fitsMemory);
  added.cheapest = least(ways, costOf, fitsMemory);
  if (added.fastest) {
    added.is_late = needsOf(question, ways[*added.fastest]).deadline_seconds.has_value();
    added.is_dear = needsOf(question, ways[*added.cheapest]).budget.has_value();
  }
  added.enough = enoughFor(question, ways);
}

}  // namespace sumac::planner
