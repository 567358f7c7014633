#include "experiment/simulate/goals.h"

#include <algorithm>
#include <cstddef>
#include <map>

#include "planner/autoscaling/policy_of.h"

namespace sumac::experiment {
namespace {

bool isSizing(const Setting& setting) {
  return setting.path == "autoscaling" || setting.path.starts_with("spec.autoscaling") ||
         setting.path == "spec.worker.replicas";
}

/// Whether an axis says how jobs are sized: all of its values do.
bool isSizingAxis(const Axis& axis) {
  return std::ranges::all_of(axis.values, [](const AxisValue& value) {
    return std::ranges::any_of(value.settings, isSizing);
  });
}

/// The cell's values of those axes.
std::vector<std::string> valuesOf(const Experiment& experiment, const Cell& cell, bool of_sizing) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < experiment.axes.size(); ++i) {
    const Axis& axis = experiment.axes[i];
    if (axis.values.size() > 1 && isSizingAxis(axis) == of_sizing) values.push_back(cell.values[i]);
  }
  return values;
}

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values)
    text += (text.empty() ? "" : ", ") + value;
  return text;
}

Goals ownGoals(const Cell& cell) {
  Goals goals;
  if (!cell.job.autoscaling) return goals;
  const autoscaling::Policy policy = autoscaling::policyOf(*cell.job.autoscaling);
  if (policy.deadline_seconds > 0) goals.deadline_seconds = policy.deadline_seconds;
  if (policy.budget > 0) goals.budget = policy.budget;
  goals.prices = policy.prices;
  return goals;
}

}  // namespace

std::vector<int> sizingGroups(const Experiment& experiment, const std::vector<Cell>& cells) {
  std::map<std::vector<std::string>, int> known;
  std::vector<int> groups;
  groups.reserve(cells.size());
  for (const Cell& cell : cells) {
    const auto next = static_cast<int>(known.size());
    groups.push_back(
        known.try_emplace(valuesOf(experiment, cell, /*of_sizing=*/false), next).first->second);
  }
  return groups;
}

std::string groupText(const Experiment& experiment, const Cell& cell) {
  return joined(valuesOf(experiment, cell, /*of_sizing=*/false));
}

std::string sizingText(const Experiment& experiment, const Cell& cell) {
  const std::string text = joined(valuesOf(experiment, cell, /*of_sizing=*/true));
  return text.empty() ? "the job" : text;
}

std::vector<Goals> goalsOf(const std::vector<Cell>& cells, const std::vector<int>& groups) {
  std::vector<Goals> goals;
  goals.reserve(cells.size());
  std::map<int, Goals> common;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    goals.push_back(ownGoals(cells[i]));
    Goals& first = common[groups[i]];
    if (!first.deadline_seconds) first.deadline_seconds = goals[i].deadline_seconds;
    if (!first.budget) first.budget = goals[i].budget;
    if (!first.hasPrices()) first.prices = goals[i].prices;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Goals& first = common[groups[i]];
    if (!goals[i].deadline_seconds) goals[i].deadline_seconds = first.deadline_seconds;
    if (!goals[i].budget) goals[i].budget = first.budget;
    if (!goals[i].hasPrices()) goals[i].prices = first.prices;
  }
  return goals;
}

}  // namespace sumac::experiment
