#include "experiment/findings/comparison.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "experiment/findings/axes.h"

namespace sumac::experiment {
namespace {

/// The only axis in which two cells differ.
std::optional<std::size_t> differenceOf(const Cell& first, const Cell& second) {
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    if (first.values[i] == second.values[i]) continue;
    if (axis) return std::nullopt;
    axis = i;
  }
  return axis;
}

/// Whether two cells that differ in this axis, one of servers, are compared.
bool areAskedFor(const Axis& axis, std::size_t index, const Cell& one, const Cell& other) {
  if (one.job.worker.replicas != other.job.worker.replicas) return false;  // another question
  const auto servers = serversNamed(axis, one.values[index]);
  const auto others = serversNamed(axis, other.values[index]);
  if (!servers || !others) return true;
  std::set<int> counts;
  for (const AxisValue& value : axis.values) {
    if (const auto count = serversNamed(axis, value.name)) counts.insert(*count);
  }
  const auto [fewer, more] = std::minmax(*servers, *others);
  return counts.upper_bound(fewer) == counts.find(more) ||
         (fewer == *counts.begin() && more == *counts.rbegin());
}

/// Whether two cells may be compared by the metric.
bool areComparable(Metric metric, const Cell& one, const Cell& other) {
  if (!isOfLearning(metric)) return isFair(one, other);
  return !one.conditions.is_emulated && !other.conditions.is_emulated;
}

bool isOfServers(const Axis& axis) {
  return std::ranges::any_of(axis.values, [&axis](const AxisValue& value) {
    return serversNamed(axis, value.name).has_value();
  });
}

}  // namespace

bool isFair(const Cell& one, const Cell& other) {
  return one.network == other.network &&
         one.conditions.is_emulated == other.conditions.is_emulated &&
         one.conditions.slowdown == other.conditions.slowdown;
}

bool exchangesNothing(const Experiment& experiment, const Cell& cell) {
  return experiment.scale.empty() && cell.job.worker.replicas == 1 &&
         !cell.job.strategy.hasServers();
}

std::vector<Comparison> pairsOf(const Experiment& experiment, const std::vector<Cell>& cells) {
  std::vector<Comparison> pairs;
  if (cells.empty()) return pairs;
  const auto workersOf = [](const Cell& cell) { return cell.job.worker.replicas; };
  const auto [smallest, largest] = std::ranges::minmax_element(cells, {}, workersOf);
  const std::pair<int, int> ends{workersOf(*smallest), workersOf(*largest)};
  const auto workers = workerAxis(experiment.axes);
  const Metric metric = experiment.measurement.metric;
  const auto isIdle = [&](const Cell& cell) {
    return !isOfLearning(metric) && exchangesNothing(experiment, cell);
  };
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = i + 1; j < cells.size(); ++j) {
      const Cell& one = cells[i];
      const Cell& other = cells[j];
      const auto axis = differenceOf(one, other);
      if (!axis || !areComparable(metric, one, other)) continue;
      const std::pair<int, int> both = std::minmax(workersOf(one), workersOf(other));
      if (axis == workers && both != ends) continue;
      if (isOfServers(experiment.axes[*axis]) &&
          !areAskedFor(experiment.axes[*axis], *axis, one, other))
        continue;
      pairs.push_back({*axis, &one, &other, isIdle(one) || isIdle(other)});
    }
  }
  return pairs;
}

}  // namespace sumac::experiment
