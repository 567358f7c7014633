#pragma once

#include <cstdint>

#include "planner/parallel/estimate.h"
#include "planner/parallel/parallel_case.h"

namespace sumac::planner::papers {

// Published figures of Kahira et al. 2021, not measured by us.

/// The system of the paper, ABCI, as the authors' tool has it: four members
/// of 16 GB a machine; from rack to rack it is slower by latency only, as the tool leaves the 1:3
/// over-subscription out.
Machines publishedMachines();

/// Contention in the authors' tool: what phi stands for where machines of `inner`
/// members share one link. 1 everywhere for strategies that divide one way. Requires inner >= 1.
Contention publishedContention(Strategy strategy, std::int64_t inner);

}  // namespace sumac::planner::papers
