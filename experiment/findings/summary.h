#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment/cells/cells.h"
#include "experiment/measure/figures.h"
#include "experiment/measure/statistics.h"

namespace sumac::experiment {

/// What is known of one cell so far.
struct CellOutcome {
  std::vector<RunFigures> runs;
  std::string failure;  // why a run of it failed; empty: none did
  std::optional<double> predicted_batches_per_second = {};
  double textbook_seconds = 0;  // of a step (planner::textbookSeconds()), where it is predicted
  bool is_fitted = false;       // the prediction's costs were fitted to this cell, too
};

/// What a run says of a metric: of speed the mini-batches a second; nothing where its job did not
/// tell.
std::optional<double> valueOf(Metric metric, const RunFigures& run);

/// Whether any cell has been measured.
bool hasRuns(const std::vector<CellOutcome>& outcomes);

/// How many cells have failed.
std::int64_t failedCells(const std::vector<CellOutcome>& outcomes);

/// What emulated workers waited for in place of computing, over the runs of a cell. A value type.
struct ComputingSpread {
  double least = 0;   // of the runs' medians, in seconds
  double most = 0;    // likewise
  double spread = 0;  // EmulatedComputing::spread() of the worst run
  double waited = 0;  // EmulatedComputing::waited of the worst run

  /// Half the distance between the runs' medians, as a share of their middle.
  double betweenRuns() const { return (most - least) / (most + least); }
  /// Something else used the cores: its cell stands for no machine.
  bool isDisturbed() const;
};

/// What the runs of one cell say. Of a cell without runs nothing is known.
struct CellSummary {
  std::optional<Estimate> batches_per_second;  // mini-batches of the whole job: steps a second
  std::optional<Estimate> samples_per_second;
  std::optional<double> predicted_batches_per_second;  // by the cost model
  double textbook_seconds = 0;                         // of a step, where it is predicted
  bool is_fitted = false;  // its costs were fitted to this cell, too: that it agrees says little
  double median_step_seconds = 0;    // over the steps of all runs
  std::optional<StepPhases> phases;  // means over the runs that tell them
  std::optional<StepBytes> bytes;
  std::map<Score, Estimate> learned;  // over the runs that tell them
  /// Samples a second, as a multiple of the cell with one worker and the same values of all other
  /// axes; nothing where there is none.
  std::optional<double> speedup;
  /// Half the width of its 95 % interval, from those of the two means (errors of a quotient, to
  /// first order); nothing where they are not known, and of the cell that others are compared with.
  std::optional<double> speedup_half_width;
  std::optional<double> efficiency;  // speedup / workers
  bool has_idle_base = false;        // the cell that it is compared with exchanges nothing
  bool has_outlier = false;  // less than half as fast as the median of the cell's other runs
  std::string failure;
  std::vector<double> change_seconds;        // what each change of the number of workers cost
  std::optional<ComputingSpread> computing;  // where it is emulated
  std::optional<double> lacking_cores;       // mostLacking()

  /// What cells are compared by; nothing where no run tells it.
  std::optional<Estimate> measured(Metric metric) const;
  /// 1 - |predicted - measured| / measured of a step's seconds (Kahira et al. 2021); nothing where
  /// one is missing.
  std::optional<double> predictionAccuracy() const;
  /// The same of the textbook's formula, where there is a prediction.
  std::optional<double> textbookAccuracy() const;
  /// In the unit in which people see predictions; nothing without one. Requires the cell's summary.
  std::optional<double> predictedSamplesPerSecond(const Cell& cell) const;
};

/// RunFigures::lacking_cores of the worst run; nothing where none has it.
std::optional<double> mostLacking(const std::vector<RunFigures>& runs);

/// Summaries of all cells, in their order. Requires an outcome for each cell.
std::vector<CellSummary> summarize(const Experiment& experiment, const std::vector<Cell>& cells,
                                   const std::vector<CellOutcome>& outcomes);

}  // namespace sumac::experiment
