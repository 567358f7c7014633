#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/core/result.h"
#include "planner/parallel/bottlenecks.h"
#include "planner/parallel/estimate.h"
#include "planner/parallel/limits.h"
#include "planner/parallel/parallel_case.h"
#include "planner/parallel/pipeline.h"

namespace sumac::planner {

/// What the oracle says of one strategy.
struct Assessment {
  Strategy strategy = Strategy::kSerial;
  Grid grid;
  Stages stages = {};                     // of layer and pipeline parallelism
  std::optional<Estimate> estimate = {};  // nothing where a limit is broken
  std::optional<Refusal> refusal = {};    // nothing: it can be used
  std::vector<Finding> findings = {};     // of an estimate
  int rank = 0;                           // 1: fastest, equal where times are; 0: cannot be used

  bool isFeasible() const { return !refusal.has_value(); }
  /// Of an epoch; 0 without an estimate.
  double seconds() const { return estimate ? estimate->time.total() : 0; }
};

/// The oracle of Kahira et al. 2021: whether a strategy fits, how long an epoch takes, and what
/// holds it up. Pure. Fails with kInvalid when the case is not a possible one (check()), the grid
/// is not of 1 to kMostMembers members, or an estimate is too large for a number.
Result<Assessment> assess(const ParallelCase& question, Strategy strategy, const Grid& grid);

/// All strategies with this many members, the usable ones first, from fastest to slowest; those
/// that take equally long have the same rank. Serial training is among them for comparison. A
/// hybrid has the best of its grids that divide both ways. Fails as assess() does.
Result<std::vector<Assessment>> rankStrategies(const ParallelCase& question, std::int64_t members);

}  // namespace sumac::planner
