#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/network/layer_list.h"

namespace sumac::planner {

/// What a layer costs, in the notation of Kahira et al. 2021, their notation. Items are
/// values of a tensor; they are doubles, as shares of them are not whole, and exact up to 2^53.
struct LayerCost {
  std::string name;
  LayerKind kind = LayerKind::kConvolution;
  double input_items = 0;           // |x|, a sample
  double output_items = 0;          // |y|, a sample
  double weight_items = 0;          // |w|, and biases
  std::int64_t channels = 1;        // C, of the input
  std::int64_t filters = 1;         // F, channels of the output
  std::int64_t positions = 1;       // W x H (x D) of the input
  double input_halo_items = 0;      // of x, a sample, from one neighbour
  double output_halo_items = 0;     // of dL/dy, the same
  double multiply_accumulates = 0;  // of the forward pass, a sample
  double forward_seconds = 0;       // FW, a sample, measured
  double backward_seconds = 0;      // BW, the same
  double update_seconds = 0;        // WU, an iteration, measured
};

/// The layers of a network in the order of the forward pass.
struct NetworkCost {
  std::string name;
  std::vector<LayerCost> layers;
};

/// The layers of a network without times. Activations and normalisations work in place, and layers
/// that only see their input in another shape need no memory: their items are 0. The halo is what
/// cutting the pictures across their longest side needs: (K-1)/2 lines of the other sides, times
/// the channels. Fails with kInvalid where checkLayers() does.
Result<NetworkCost> networkCost(const LayerList& list);

/// Sums over all layers.
struct NetworkTotals {
  double activation_items = 0;              // |x| + |y|, a sample
  double weight_items = 0;                  // W
  double forward_backward_seconds = 0;      // FB, a sample
  double update_seconds = 0;                // WU, an iteration
  double forward_multiply_accumulates = 0;  // a sample
};
NetworkTotals totals(const NetworkCost& network);

/// The network with `seconds_per_sample` for its forward and backward passes, where only that is
/// known: each layer by its multiply-accumulates, the backward pass twice the forward pass
/// (docs/design/formulas.md). Without multiply-accumulates all layers take the same. Requires a
/// layer.
NetworkCost withSecondsPerSample(NetworkCost network, double seconds_per_sample);

}  // namespace sumac::planner
