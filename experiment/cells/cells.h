#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "job/document/job.h"

#include "experiment/document/experiment.h"

namespace sumac::experiment {

/// One combination of the axes' values, and its job. A value type.
struct Cell {
  int number = 0;  // from 1, in order of the document; the last axis varies fastest
  std::vector<std::string> values;  // names, one for each axis
  job::TrainingJob job;
  Conditions conditions;
  bool is_reseeded = false;  // each repetition trains with a seed of its own
  std::string network;       // its spec.model with all defaults: the same text is the same network
  JsonTree resolved;         // the job with all defaults
  JsonTree document;         // the same without them
};

/// The training.seed of a repetition, which counts from 1.
std::uint64_t seedOf(const Cell& cell, int repetition);

/// Whether the job of a cell chooses its number of workers, or a HorizontalPodAutoscaler does.
bool isSized(const Cell& cell);

/// Whether cells are compared by how their jobs are sized, or by what events do to them: by the
/// time of whole jobs, and not of steps.
bool isSizingStudy(const Experiment& experiment, const std::vector<Cell>& cells);

/// The fewest and the most workers that a cell's job may have: of one whose bounds are not set, as
/// many as it has.
std::pair<int, int> workersOf(const Cell& cell);

/// "worker.replicas=2, topology=ring"; of an experiment without axes "the job".
std::string combinationText(const std::vector<Axis>& axes, const std::vector<std::string>& values);

/// Whether one of them has links of a rate: on one machine those need root.
bool hasLimitedLinks(const std::vector<Cell>& cells);

/// Leaves axes that "AXIS=VALUE" texts name only the values that they name. Fails with kNotFound
/// and the names that there are, where one is none of them.
Result<void> keepOnly(const std::vector<std::string>& only, std::vector<Axis>& axes);

/// How many combinations the axes have; at most `most` + 1, so that nothing overflows.
std::int64_t countCells(const std::vector<Axis>& axes, std::int64_t most);

/// All cells, or what is wrong with them.
struct Cells {
  std::vector<Cell> cells;  // empty where there are problems
  /// One problem each, with the combinations that have it on lines of their own.
  std::vector<std::string> problems;
  std::vector<std::string> warnings;  // the same of what is legal, but slow
};

/// Makes and checks the job of every combination. `overrides` change the base job first, as in
/// `sumac run`; then come the experiment's steps, then the axes, then batchSizePerWorker.
///
/// `is_for_cluster`: where the number of workers changes, jobs keep their checkpoint's volume,
/// which pods need to go on.
Cells makeCells(const Experiment& experiment, const job::Overrides& overrides, bool is_for_cluster);

}  // namespace sumac::experiment
