#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/autoscaling/decide.h"

#include "experiment/cells/cells.h"

namespace sumac::experiment {

/// What the runs of a cell are judged by, whether its job knows of it or not.
struct Goals {
  std::optional<double> deadline_seconds;
  std::optional<double> budget;
  autoscaling::Prices prices = {};  // all 0: there are none

  bool hasPrices() const { return prices.worker_hour > 0; }
};

/// The number of the cells' group: cells of one group differ in how they are sized alone, so that
/// they are compared. From 0, in order of their first cells.
std::vector<int> sizingGroups(const Experiment& experiment, const std::vector<Cell>& cells);

/// What tells a cell's group from the others, "100Mbit"; empty where there is one group.
std::string groupText(const Experiment& experiment, const Cell& cell);

/// What tells a cell from others of its group: "throughput".
std::string sizingText(const Experiment& experiment, const Cell& cell);

/// Of each cell its own, and what it lacks from the first of its group that has it.
std::vector<Goals> goalsOf(const std::vector<Cell>& cells, const std::vector<int>& groups);

}  // namespace sumac::experiment
