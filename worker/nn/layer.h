#pragma once

#include <cstdint>
#include <memory>

#include "common/kernels/kernels.h"
#include "common/model/network.h"
#include "worker/nn/arena.h"

namespace sumac::worker {

/// Where one layer's values are during a call. `x` and `y` are inputs and outputs of `samples`
/// samples; `weights` and `gradient` are those of the whole network, in plan order.
struct Pass {
  std::int64_t samples = 0;
  const float* weights = nullptr;
  const float* x = nullptr;
  float* y = nullptr;
};

/// The slopes of the loss on the way back.
struct BackwardPass {
  Pass forward;
  const float* dy = nullptr;
  float* dx = nullptr;  // null where nobody needs it: in the first layer
  float* gradient = nullptr;
};

/// One layer of an engine. Owned by it; used by its thread only.
class LayerEngine {
 public:
  LayerEngine() = default;
  LayerEngine(const LayerEngine&) = delete;
  LayerEngine& operator=(const LayerEngine&) = delete;
  virtual ~LayerEngine() = default;

  virtual void forward(const Pass& pass) = 0;
  /// Overwrites this layer's part of the gradient, and dx unless that is null. Requires that
  /// forward() came before, with the same samples.
  virtual void backward(const BackwardPass& pass) = 0;

  /// Outputs may be written over inputs, and dx over dy.
  virtual bool inPlace() const { return false; }
};

/// What a layer is made from.
struct LayerContext {
  const model::Network& network;  // outlives the call only
  const model::Layer& layer;
  const Kernels& kernels;
  Arena& arena;  // outlives the layer
  std::int64_t max_samples;

  /// Where the layer's n-th tensor begins in plan order.
  std::int64_t offset(std::size_t n) const;
};

/// Makes the layer's engine, or null for a layer that moves no values (flatten). Requires any kind
/// but the loss, which is no layer of numbers to numbers: see loss.h.
Result<std::unique_ptr<LayerEngine>> makeLayerEngine(const LayerContext& context);

}  // namespace sumac::worker
