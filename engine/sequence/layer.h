#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/core/result.h"
#include "base/core/step.h"
#include "engine/nn/arena.h"
#include "engine/nn/compute_pool.h"
#include "engine/nn/engine.h"
#include "engine/sequence/part_rows.h"
#include "job/model/network.h"
#include "kernels/kernels.h"

// Text is computed on rows: the values of one word of one sample. Row t * samples + s is time step
// t of sample s, so that a step's rows are neighbours and a product may take the rows of all steps.
// A call may compute several parts, whose samples follow each other. What is computed of a row
// depends on that row alone, or on its sample's, and is computed for all parts at once. Sums over
// rows are each part's own.
namespace sumac::worker::sequence {

/// One part of a call.
struct PassPart {
  PartRows rows;
  const float* state = nullptr;  // recurrent state before: its samples x the network's
  float* next_state = nullptr;
  float* gradient = nullptr;  // of all weights of the network
  Write write = Write::kReplace;
  GradientObserver* observer = nullptr;

  /// The values of one of our tensors, or some of them, are written no more.
  void announce(std::size_t first, std::size_t count) const {
    if (observer != nullptr && count > 0) observer->onFinal(first, count);
  }
};

/// What a call computes with, the same for every layer.
struct Pass {
  std::size_t samples = 0;  // of all parts, as the rows
  std::size_t rows = 0;
  std::span<const PassPart> parts = {};
  const float* weights = nullptr;        // of the whole network, in plan order
  std::uint64_t weights_version = 0;     // see WeightsInUse
  const std::int32_t* tokens = nullptr;  // one a row
  bool is_training = false;
  Step step = 1;                  // this and the next: dropout's key
  std::int64_t first_sample = 0;  // position of the first part's in the mini-batch
};

/// What a layer reads and writes in the backward pass.
struct Gradients {
  float* dy = nullptr;  // gradient of the layer's outputs; the layer may overwrite it
  float* dx = nullptr;  // gradient of its inputs; null in the first layer
};

/// Values of a gradient that several parts compute in turn, one of these pieces after the other:
/// what is summed over the parts meanwhile stays in a core's second-level cache.
inline constexpr std::size_t kSharedPiece = 64 * 1024;

/// One layer of an engine. Owned by it; called by its thread, works with the pool's.
class Layer {
 public:
  Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  /// Returns where the outputs are, row after row: memory of the layer's own.
  virtual float* forward(const Pass& pass, const float* x) = 0;
  /// Writes this layer's share of the parts' gradients, which it announces, and dx; each value for
  /// one part after the other. Requires that forward() came before, with the same pass and inputs,
  /// and that both x and the outputs are still there.
  virtual void backward(const Pass& pass, const float* x, const Gradients& gradients) = 0;
};

/// What a layer is made from.
struct LayerContext {
  const model::Network& network;  // outlives the call only
  const model::Layer& layer;
  std::size_t index;  // of the layer in the network
  const Kernels& kernels;
  Arena& arena;       // outlives the layer
  ComputePool& pool;  // likewise
  std::int64_t max_samples;
  std::uint64_t seed;
  bool reuses_weights;  // Engine::Options

  /// Where the layer's n-th tensor begins in plan order.
  std::size_t offset(std::size_t n) const;
  std::int64_t maxRows() const;
  /// Values of one row before and after the layer.
  std::size_t inputs() const;
  std::size_t outputs() const;
};

/// Fails with kUnsupported for a layer that text does not have. Requires any kind but the loss.
Result<std::unique_ptr<Layer>> makeLayer(const LayerContext& context);

std::unique_ptr<Layer> makeEmbedding(const LayerContext& context);
std::unique_ptr<Layer> makeLstm(const LayerContext& context, int layers);
std::unique_ptr<Layer> makeDense(const LayerContext& context, bool has_bias);
std::unique_ptr<Layer> makeDropout(const LayerContext& context, double rate);

/// `activation` is a SumacActivation.
std::unique_ptr<Layer> makeActivation(const LayerContext& context, int activation);

}  // namespace sumac::worker::sequence
