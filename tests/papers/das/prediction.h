#pragma once

#include <cstdint>
#include <vector>

#include "base/core/result.h"
#include "planner/network/layer_list.h"
#include "tests/papers/das/overlap.h"

namespace sumac::planner::papers {

/// Equal nodes with one link each.
struct NodeCluster {
  std::int64_t nodes = 1;
  double points_per_second = 0;      // that one node trains alone
  double link_bytes_per_second = 0;  // in each direction
  double latency_seconds = 0;        // of one exchange
};

/// Which layers are computed by groups of nodes.
enum class Parallelism : std::uint8_t {
  kData,    // none
  kHybrid,  // dense layers, each with the groups that exchange the least
};

/// How a cluster is predicted to scale.
struct ScalingPrediction {
  double speedup = 0;                // over one node with the same mini-batch
  double efficiency = 0;             // speedup / nodes
  std::vector<std::int64_t> groups;  // for each layer; `nodes` where it is data parallel
  OverlappedStep step;
};

/// The schedule of Das et al. 2016 (arXiv 1602.06709) for a synchronous step: compute time in
/// proportion to multiply-accumulates, weight gradients first, exchanges as overlapStep() has them.
///
/// The schedule is a derivation. It is an upper bound: no load imbalance, and kernels as fast with
/// few points a node as with many. Each dense layer has the groups with the smallest exact traffic
/// at overlap 1 (bestGroups()), as half of each gradient exchange can be hidden; the link then
/// carries gradients and weights one after another (overlap 0).
///
/// Fails with kInvalid if the list is not right (checkLayers()) or a number cannot be. A mini-batch
/// smaller than the number of nodes is possible only in theory, and is not refused.
Result<ScalingPrediction> predictScaling(const LayerList& list, std::int64_t batch,
                                         const NodeCluster& cluster, Parallelism parallelism);

}  // namespace sumac::planner::papers
