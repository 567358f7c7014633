#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/core/result.h"

namespace sumac::planner::papers {

/// What one layer takes in a step. Seconds.
struct LayerSeconds {
  double forward = 0;
  double weight_gradient = 0;
  double input_gradient = 0;  // 0 of the layer nearest the input
  double exchange = 0;        // of its gradients and weights; 0: it has none
  // A model-parallel layer's exchanges of activations and of their gradients: they are never
  // hidden.
  double forward_exchange = 0;
  double backward_exchange = 0;
};

/// What a layer's backward pass computes first.
enum class BackwardOrder : std::uint8_t { kWeightGradientFirst, kInputGradientFirst };

/// A step with its exchange. Seconds.
struct OverlappedStep {
  double compute = 0;
  double blocking_exchange = 0;  // of model-parallel layers
  std::vector<double> bubbles;   // for each layer: what its forward pass waits for its weights
  double total = 0;              // compute, blocking exchange and bubbles

  double efficiency() const { return compute / total; }
};

/// The step of a network whose exchange runs beside the computation, Das et al. 2016 (arXiv
/// 1602.06709). The idea is the paper's, from memory; this formulation was derived:
///
/// - the backward pass goes from the last layer to the first; a layer's exchange is posted when its
///   weight gradient is complete;
/// - one thread exchanges, in the order posted: start_i = max(post_i, finish_i+1), finish_i =
/// start_i
///   + exchange_i + latency;
/// - the next forward pass goes from the first layer to the last; layer i waits for finish_i:
///   bubble_i = max(0, finish_i - start of its forward pass).
///
/// Layer 0 is the first. Fails with kInvalid if there is no layer, a time is negative or not
/// finite, or nothing is computed. Linear in the number of layers.
Result<OverlappedStep> overlapStep(std::span<const LayerSeconds> layers, BackwardOrder order,
                                   double latency_seconds);

}  // namespace sumac::planner::papers
