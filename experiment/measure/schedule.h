#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "experiment/document/experiment.h"

namespace sumac::experiment {

/// One run of an experiment.
struct RunId {
  int cell = 0;        // from 1
  int repetition = 0;  // from 1

  auto operator<=>(const RunId&) const = default;
};

/// How often each cell runs.
struct Repetitions {
  int least = 1;
  int most = 1;           // > least only with half_width
  double half_width = 0;  // of the 95 % interval, as a share of the mean; 0: `least` are enough
};

/// As the experiment's document has them.
Repetitions repetitionsOf(const Measurement& measurement);

/// The order of cells in one round: a shuffle that depends on nothing but these numbers.
std::vector<int> shuffledCells(int cells, std::uint64_t seed, int repetition);

/// Decides what runs next. Round by round each cell runs once, in an order shuffled anew, until it
/// has its repetitions; so a slow minute of the machine falls on many cells, not on one.
///
/// A pure state machine: what it says depends on the runs that it was told of, in whatever order
/// and life of the process that was. So an experiment that was stopped goes on as it would have.
class Schedule {
 public:
  Schedule(int cells, Repetitions repetitions, std::uint64_t seed);

  /// A run has begun: it is not the next one again before it ends.
  void began(RunId run) { under_way_.insert(run); }

  /// A run has ended with this value of the metric, in any unit. Requires a run of the experiment.
  void finished(RunId run, double value);

  /// A run of this cell failed: the cell does not run again. Its cause would be the same.
  void failed(int cell);

  /// The next run; nothing when the experiment is complete.
  std::optional<RunId> next() const;

  /// How many runs are left, as far as is known: a cell whose mean is not known well enough counts
  /// as one.
  int left() const;

 private:
  bool needs(RunId run) const;

  const int cells_;
  const Repetitions repetitions_;
  std::vector<std::vector<int>> order_;          // of each round
  std::map<int, std::map<int, double>> values_;  // of each cell, by repetition
  std::set<int> failed_;
  std::set<RunId> under_way_;
};

}  // namespace sumac::experiment
