#pragma once

#include <optional>
#include <vector>

#include "experiment/findings/summary.h"

namespace sumac::experiment {

/// Of a choice between cells, the one with the shortest step by the predictions, and what it costs
/// to take that.
struct Choice {
  int chosen = 0;     // cell numbers
  int best = 0;       // the shortest step as measured
  double regret = 0;  // how much longer the step of `chosen` is than that of `best`
};

/// How good predictions are, over the cells that were measured and that the costs were not fitted
/// to. A value type.
struct PredictionQuality {
  int cells = 0;                 // 0: nothing below is known
  double accuracy = 0;           // the mean of CellSummary::predictionAccuracy()
  double textbook_accuracy = 0;  // the same of planner::textbookSeconds()
  /// 1 - error / the textbook's error, of the mean errors: 1 is exact, 0 no better than the
  /// textbook. Nothing where the textbook makes no error.
  std::optional<double> skill;
  /// One for each set of cells that could be chosen from: of one network, link, way of computing,
  /// mini-batch and number of workers. In order of their first cells.
  std::vector<Choice> choices;

  double meanRegret() const;
  /// Requires choices.
  const Choice& worstChoice() const;
};

/// Requires a summary for each cell.
PredictionQuality predictionQuality(const std::vector<Cell>& cells,
                                    const std::vector<CellSummary>& summaries);

}  // namespace sumac::experiment
