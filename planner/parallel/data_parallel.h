#pragma once

#include <cstdint>

#include "planner/parallel/estimate.h"
#include "planner/parallel/parallel_case.h"

namespace sumac::planner {

/// Data parallelism, Kahira et al. 2021, table of costs: each of p members has the whole network
/// and B/p samples of each mini-batch, and all add up their weight gradients.
///
///   T_comp = (D/p) FB + (D/B) WU
///   T_comm = 2 (D/B) (p-1) (alpha + W delta beta / p)
///   memory = 2 delta gamma sum over l of ((B/p) (|x_l| + |y_l|) + |w_l|)
///
/// p = 1 is serial training. The factor 2: every tensor has a gradient of its size. Requires a
/// checked case and members >= 1.
Estimate dataParallel(const ParallelCase& question, std::int64_t members);

/// Of `weight_items` weights that `members` hold: seconds an epoch to add up their gradients, over
/// all members or through leaders, as the case says. Requires the same.
double gradientExchangeSeconds(const ParallelCase& question, std::int64_t members,
                               double weight_items);

}  // namespace sumac::planner
