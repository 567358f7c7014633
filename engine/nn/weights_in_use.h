#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "engine/nn/engine.h"
#include "job/model/network.h"

namespace sumac::worker {

/// Some values of the weights or of the gradient, in plan order.
struct Extent {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// All tensors of a layer, which follow each other.
Extent weightsOf(const model::Network& network, const model::Layer& layer);

/// The weights that an engine computes with, and how often they were set: each setting is a version
/// of its own, counted from 1. Owned by an engine.
struct WeightsInUse {
  std::span<const float> values;
  std::uint64_t version = 0;
  WeightsGate* gate = nullptr;  // until a pass went through it; outlives that

  void set(std::span<const float> weights, WeightsGate* weights_gate) {
    values = weights;
    gate = weights_gate;
    ++version;
  }
  /// Before a layer is computed.
  void await(Extent layer) const {
    if (gate != nullptr && layer.count > 0) gate->await(layer.first, layer.count);
  }
};

/// Which version of the weights a layer's packed form was made from.
class PackedVersion {
 public:
  /// Whether the layer is to pack the weights of `version` now: true once for each.
  bool isNew(std::uint64_t version) { return std::exchange(version_, version) != version; }

 private:
  std::uint64_t version_ = 0;
};

}  // namespace sumac::worker
