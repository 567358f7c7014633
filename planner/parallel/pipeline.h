#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/parallel/estimate.h"
#include "planner/parallel/parallel_case.h"

namespace sumac::planner {

/// How many consecutive layers each stage has; no stage is empty.
using Stages = std::vector<std::size_t>;

/// Layer parallelism, Kahira et al. 2021, table of costs: each of p members has consecutive layers,
/// a stage g_i. One after the other they work on whole mini-batches (layer), or on S segments of
/// each at once (pipeline).
///
///   layer     T_comp = D FB + (D/B) WU
///             T_comm = 2 (D/B) sum over i < p of (alpha + B |y_gi| delta beta)
///   pipeline  T_comp = D (p+S-1)/S (max FW_gi + max BW_gi) + (D/B) max WU_gi
///             T_comm = 2 D (p+S-2)/B max over i < p of (alpha + (B/S) |y_gi| delta beta)
///   memory    = 2 delta gamma max over i of the sum over l in g_i of (B (|x_l| + |y_l|) + |w_l|)
///
/// The report prints WU inside the factor of the first term; it is per iteration, so it stands
/// outside here (derived). Requires a checked case and stages that have all its
/// layers.
Estimate layerParallel(const ParallelCase& question, const Stages& stages);
Estimate pipelineParallel(const ParallelCase& question, const Stages& stages);

/// Divides layers of these costs into `count` stages of consecutive layers so that the costliest
/// costs as little as possible, to one part in 10^9. Requires costs >= 0 and 1 <= count <=
/// costs.size(). Takes O(costs.size()).
Stages balancedStages(std::span<const double> costs, std::size_t count);

}  // namespace sumac::planner
