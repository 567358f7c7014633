#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "experiment/findings/comparison.h"
#include "experiment/findings/summary.h"

namespace sumac::experiment {

/// What the comparison of cells came to.
enum class Outcome {
  kNothingRan,
  kAllFailed,
  kOneCell,
  kOneRunEach,
  kNoPairs,      // no two cells differ in one axis only
  kNoTwoRuns,    // no two cells to compare have two runs each
  kNoneDiffers,  // significantly
  kSomeDiffer,
};

/// What an experiment found, in numbers. The cells outlive it.
struct Verdict {
  Outcome outcome = Outcome::kNothingRan;
  std::size_t pairs = 0;                         // that were to be compared
  std::vector<Comparison> significant = {};      // the strongest first
  std::vector<Comparison> not_significant = {};  // the closest to being so first
  int runs = 0;                                  // of the cell that has most of them
  /// How many runs a cell would tell the first of `not_significant`, if its ratio is what it seems;
  /// nothing where these are more than kMostTimes as many as `runs`.
  std::optional<int> enough_runs = {};
  static constexpr int kMostTimes = 20;
};

/// Compares the pairs of cells that pairsOf() names by the experiment's metric. A difference is
/// significant only where the interval of the ratio leaves 1 out; the intervals are so wide
/// (Bonferroni) that all of them hold together with 95 %. Among these, pairs of which one exchanges
/// nothing, different links and the workers' axis come last. Requires a summary for each cell.
Verdict verdictOf(const Experiment& experiment, const std::vector<Cell>& cells,
                  const std::vector<CellSummary>& summaries);

}  // namespace sumac::experiment
