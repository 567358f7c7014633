#pragma once

#include "planner/parallel/estimate.h"
#include "planner/parallel/parallel_case.h"

namespace sumac::planner {

/// Filter, channel and data+filter parallelism, Kahira et al. 2021, table of costs: p1 groups share
/// the samples; in each, p2 members have a part of every layer's filters (or input channels).
///
///   T_comp = (D/p) FB + (D/(B p2)) WU
///   T_comm = 3 (D/B) (p2-1) sum over l < G of (alpha + B |y_l| delta beta / p)
///          + 2 (D/B) (p1-1) (alpha + W delta beta / p)
///   memory = 2 delta gamma sum over l of ((B/p1) (|x_l| + |y_l|) + |w_l| / p2)
///
/// Filter: an all-gather of y_l in the forward pass, an all-reduce of dL/dx_l, twice as long, in
/// the backward pass. Channel parallelism does both the other way round and costs the same. The
/// weight gradients of a member are its own, so the second term adds up those of equal members of
/// p1 groups only, W/p2 each.
///
/// Layers that are not divided (Choices::divided_layers) are computed and kept by all members of a
/// group and exchange nothing, except that their weight gradients are added up over the groups
/// (derived). Layers without weights and normalisations work on each channel by itself: they are
/// divided like the layer before them, and exchange nothing. p1 = 1 is filter or channel
/// parallelism. Requires a checked case and a grid of positive numbers.
Estimate dataFilterParallel(const ParallelCase& question, const Grid& grid);

/// Whether a layer's weights are divided.
bool isDivided(const LayerCost& layer, DividedLayers divided);

}  // namespace sumac::planner
