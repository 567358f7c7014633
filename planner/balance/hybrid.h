#pragma once

#include <cstdint>

#include "base/core/result.h"
#include "planner/network/layer_list.h"

namespace sumac::planner {

/// How the traffic of hybrid parallelism is counted.
enum class TrafficCount : std::uint8_t {
  kPublished,  // whole tensors, as in the formulas below
  kExact,      // n members each send and receive (n - 1) / n of a tensor
};

/// The step in which a layer is computed by groups of nodes.
struct HybridStep {
  std::int64_t nodes = 1;  // N
  std::int64_t batch = 1;  // MB, of all nodes
  double overlap = 1;      // of sending gradients and receiving weights, in [0, 1]
  TrafficCount count = TrafficCount::kPublished;
};

/// Bytes that each node exchanges for one layer and step.
struct HybridTraffic {
  double model_bytes = 0;  // inputs and their gradients, inside a group; never hidden
  double data_bytes = 0;   // weights and their gradients, between groups

  double bytes() const { return model_bytes + data_bytes; }
};

// Model and hybrid parallelism, Das et al. 2016 (arXiv 1602.06709), from memory with a derivation:
// G groups of N / G nodes, model parallel inside a group on MB / G points, data parallel between
// groups.
//
//   V(G) = 2 x 4 ifm in_w in_h MB / G  +  4 ifm ofm kw kh (2 - overlap) G / N   bytes
//   G*   = sqrt(2 N MB in_w in_h / (ofm kw kh (2 - overlap)))
//
// G = 1 is pure model parallelism, without the second term, and G = N pure data parallelism,
// without the first. For a fully connected layer all sizes but ifm and ofm are 1. The weights of a
// layer take the place of ifm ofm kw kh, so that groups of a convolution count right.
//
// All functions are pure and fail with kInvalid if the layer has no weights or a number cannot be.

/// V(groups). Requires 1 <= groups <= nodes; groups that do not divide the nodes only compare.
Result<HybridTraffic> hybridTraffic(const Layer& layer, const HybridStep& step,
                                    std::int64_t groups);

/// G*, not rounded, clamped to [1, N].
Result<double> continuousBestGroups(const Layer& layer, const HybridStep& step);

/// The divisor of N with the smallest V(G); of equal ones the smallest.
Result<std::int64_t> bestGroups(const Layer& layer, const HybridStep& step);

/// Whether pure model parallelism exchanges less than pure data parallelism:
/// 2 in_w in_h MB < ofm kw kh (2 - overlap).
Result<bool> isModelParallelBetter(const Layer& layer, const HybridStep& step);

}  // namespace sumac::planner
