#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiment/findings/summary.h"
#include "experiment/simulate/simulate.h"

namespace sumac::experiment {

/// What the cells of a comparison of sizes did that was measured.
struct MeasuredSizing {
  /// As simulateCells() has them. The best fixed size is that of the measured cells beside it, or
  /// where there is none the simulated one; who knows all events is simulated.
  std::vector<SimulatedCell> cells;
  std::vector<std::optional<double>> simulated_seconds;  // of each cell, without noise
  std::vector<bool> is_left_out;                         // it does not run here, and did not fail
  std::vector<std::vector<std::string>> parameters_sha256;  // of each run of each cell, or empty
  std::vector<std::optional<double>> lacking_cores = {};    // mostLacking() of each cell
  std::string parameters = {};  // whether runs that differ in sizes alone have learned the same
  bool is_complete = true;
};

/// `left_out` has for each cell why it does not run here, or is empty; `simulated` has the cells on
/// virtual time, or is empty.
MeasuredSizing measuredSizing(const Experiment& experiment, const std::vector<Cell>& cells,
                              const std::vector<CellOutcome>& outcomes,
                              const std::vector<std::string>& left_out,
                              const std::vector<SimulatedCell>& simulated);

}  // namespace sumac::experiment
