#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "job/profile/job_profile.h"
#include "planner/exchange_cost/cost_fit.h"

#include "experiment/cells/cells.h"

namespace sumac::experiment {

/// What the cost model says of one cell. A value type.
struct CellPrediction {
  std::optional<double> batches_per_second;
  double textbook_seconds = 0;  // of a step, by planner::textbookSeconds(); where there is one
  std::string why_not;          // there is none, and what to do
  /// What the model computed with; `step.seconds` is the prediction. Only where there is one.
  planner::Observation step;
  planner::StepCosts costs;
  bool is_fitted = false;   // its measurement is one that the costs were fitted to
  std::size_t profile = 0;  // which of the profiles it is by
};

/// Predicts each cell by the first of `profiles` that is of its network and optimizer. All members
/// share the cores of the profile's machine.
std::vector<CellPrediction> predictCells(const std::vector<Cell>& cells,
                                         const std::vector<JobProfile>& profiles);

/// Why costs were not fitted to the cells that they were to be fitted to.
enum class NotFitted : std::uint8_t {
  kNothing,      // they were, or there are none
  kNotMeasured,  // `cell`
  kNotTold,      // by what these cells measured
  kFreeBytes,    // a byte would take no time
};

/// What there is to know of predictions beside their numbers.
struct PredictionBasis {
  std::vector<std::string> disturbed = {};  // profiles: a file, and its disturbanceText()
  std::vector<std::string> why_not = {};    // cells have no prediction, each reason once
  NotFitted not_fitted = NotFitted::kNothing;
  int cell = 0;
  std::optional<planner::CostFit> fit = {};
};

/// A cell whose speed was measured.
struct MeasuredCell {
  int number = 0;  // from 1
  double batches_per_second = 0;
};

/// Fits the costs of a step to these cells, and predicts all cells again with them. Cells without a
/// prediction are left out. Fails as fitCosts(), changing nothing.
Result<planner::CostFit> fitTo(const std::vector<MeasuredCell>& measured,
                               std::vector<CellPrediction>& predictions);

/// How long the steps of all runs take by the predictions, in seconds, each cell `repetitions`
/// times; nothing where a cell has no prediction.
std::optional<double> predictedDuration(const Measurement& measurement, int repetitions,
                                        const std::vector<CellPrediction>& predictions);

}  // namespace sumac::experiment
