#pragma once

#include <vector>

#include "experiment/report/summary.h"

namespace sumac::experiment {

/// What an experiment found, with an outcome and a summary for each cell. Its parts outlive it.
struct Findings {
  const Experiment& experiment;
  const std::vector<Cell>& cells;
  const std::vector<CellOutcome>& outcomes;
  const std::vector<CellSummary>& summaries;
};

}  // namespace sumac::experiment
