#pragma once

#include <cstdint>
#include <vector>

#include "planner/parallel/estimate.h"
#include "planner/parallel/limits.h"
#include "planner/parallel/parallel_case.h"

namespace sumac::planner {

/// What holds a strategy up: the limitations and bottlenecks of Kahira et al. 2021
/// (docs/papers.md). `share` is of the time of an epoch, where nothing else is said.
enum class FindingKind : std::uint8_t {
  kGradientExchange,
  kLayerCollectives,   // longer than the gradient exchange of data parallelism would take
  kNeighbours,         // messages between them
  kCongestion,         // `members` and more; not in the estimate
  kReading,            // reading and spreading samples from one leader; not in the estimate
  kCopiedWeights,      // share: of the memory
  kCopiedActivations,  // the same
  kNearlyFull,         // the same, of the limit; fragmentation is not in the estimate
  kWeightUpdate,
  kFewFilters,    // hardly faster; the estimate divides the time
  kSlowestStage,  // share: of the mean stage
  kMemberLimit,   // limit: near it
};

struct Finding {
  FindingKind kind = FindingKind::kGradientExchange;
  double share = 0;
  std::int64_t members = 0;
  MemberLimit limit = {};
};

/// Those that apply. The paper names the limitations and bottlenecks; from which share on one is
/// worth a word are thresholds of ours (bottlenecks.cc). Requires a checked case and the estimate
/// of this strategy and grid.
std::vector<Finding> findBottlenecks(const ParallelCase& question, Strategy strategy,
                                     const Grid& grid, const Estimate& estimate);

}  // namespace sumac::planner
