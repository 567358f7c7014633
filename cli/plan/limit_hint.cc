#include "cli/plan/limit_hint.h"

#include <algorithm>
#include <optional>

#include "cli/plan/plan_amounts.h"

namespace sumac::cli {
namespace {

/// Whether nothing but deadline and budget stands in the way of it.
bool fits(const planner::Way& way, const PlanOptions& options) {
  const bool is_late = options.deadline_seconds && way.seconds > *options.deadline_seconds;
  const bool is_dear = options.budget && way.cost && *way.cost > options.budget->amount;
  return way.obstacles.size() ==
         static_cast<std::size_t>(is_late) + static_cast<std::size_t>(is_dear);
}

/// The least time, or cost, of the ways that keep the other limits.
template <typename Measure, typename Keeps>
std::optional<double> least(const planner::Advice& advice, Measure measure, Keeps keeps) {
  std::optional<double> best;
  for (const planner::Way& way : advice.ways) {
    if (keeps(way)) best = std::min(best.value_or(measure(way)), measure(way));
  }
  return best;
}

/// "11.7min", at least so many seconds.
std::string durationOption(double seconds) {
  constexpr double kSecondsOfMinute = 60;
  constexpr double kSecondsOfHour = 3600;
  constexpr double kMinutesFrom = 120;
  constexpr double kHoursFrom = 7200;
  if (seconds >= kHoursFrom) return plainText(roundedUp(seconds / kSecondsOfHour)) + "h";
  if (seconds >= kMinutesFrom) return plainText(roundedUp(seconds / kSecondsOfMinute)) + "min";
  return plainText(roundedUp(seconds)) + "s";
}

}  // namespace

std::string limitThatFits(const PlanOptions& options, const planner::Advice& advice) {
  const auto seconds = [](const planner::Way& way) { return way.seconds; };
  const auto cost = [](const planner::Way& way) { return way.cost.value_or(0); };
  const auto is_in_budget = [&](const planner::Way& way) {
    return fits(way, options) && (!options.budget || cost(way) <= options.budget->amount);
  };
  const auto is_in_time = [&](const planner::Way& way) {
    return fits(way, options) &&
           (!options.deadline_seconds || way.seconds <= *options.deadline_seconds);
  };
  if (options.deadline_seconds) {
    if (const auto time = least(advice, seconds, is_in_budget))
      return " --deadline " + durationOption(*time) + " is enough.";
  }
  if (options.budget) {
    if (const auto money = least(advice, cost, is_in_time))
      return " --budget " + plainText(roundedUp(*money)) + options.budget->currency + " is enough.";
  }
  return {};
}

}  // namespace sumac::cli
