#pragma once

#include "planner/parallel/estimate.h"
#include "planner/parallel/parallel_case.h"

namespace sumac::planner {

/// Spatial and data+spatial parallelism, Kahira et al. 2021, table of costs: p1 groups share the
/// samples; in each, p2 members have a part of every picture, and exchange its borders.
///
///   T_comp = (D/p) FB + (D/B) WU
///   T_comm = 2 (D/B) sum over l of (2 alpha + (B/p1) (halo(|x_l|) + halo(|dL/dy_l|)) delta beta)
///          + (D/B) (p2-1) (alpha + (B/p1) |y_s| delta beta / p2)      gather after layer s
///          + gradient exchange of W over p = p1 p2
///   memory = 2 delta gamma sum over l of ((B/p) (|x_l| + |y_l|) + |w_l|)
///
/// Only the first layers are divided (ParallelCase::spatialLayers()). Those behind them every
/// member of a group computes and keeps for all of its group's samples: B/p1 in place of B/p, D/p1
/// in place of D/p (derived; the paper's table divides all, which is the case without such layers).
/// The gather happens once an iteration, in the forward pass: going back, each member has all
/// gradients and takes its part. Layers without a halo (kernel 1) exchange nothing. p1 = 1 is
/// spatial parallelism. Requires a checked case and a grid of positive numbers.
Estimate dataSpatialParallel(const ParallelCase& question, const Grid& grid);

}  // namespace sumac::planner
