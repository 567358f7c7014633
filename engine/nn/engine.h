#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/core/result.h"
#include "base/core/step.h"
#include "engine/nn/compute_pool.h"
#include "job/model/network.h"
#include "kernels/kernels.h"

namespace sumac::worker {

/// Samples of one part, or of a piece of the test set: images and vectors are `inputs`, count x
/// (channels x rows x columns), sample after sample; text is `tokens`, count x time steps, words'
/// numbers below the vocabulary. `labels` are class indices, one a sample, or one a time step of
/// text.
struct Batch {
  std::int64_t count = 0;
  std::span<const float> inputs;
  std::span<const std::int32_t> tokens;
  std::span<const std::int32_t> labels;
};

/// Part state before a step; each empty where the network has none.
struct PartState {
  std::span<const float> recurrent;   // count x Network::recurrent
  std::span<const float> statistics;  // Network::statistics
};
/// Where a step leaves it; may not overlap the state before.
struct NextPartState {
  std::span<float> recurrent;
  std::span<float> statistics;
};

/// What one part's gradient depends on, besides the weights and the seed.
struct Part {
  Batch batch;
  PartState state;
  Step step = 1;                  // with `first_sample` the key of dropout's random numbers
  std::int64_t first_sample = 0;  // position of the part's first sample in the mini-batch
};

/// kAdd: each value of the output grows by the finished value, in one addition: the same bits as
/// computing elsewhere and adding.
enum class Write : std::uint8_t { kReplace, kAdd };

/// Follows a gradient while it is computed, so that it can be sent meanwhile. Called by the
/// engine's thread in the middle of gradients(): may use the engine's pool, but not the engine.
class GradientObserver {
 public:
  virtual ~GradientObserver() = default;

  /// The values [first, first + count) are final: the call writes them no more. Every value is
  /// announced once: the last layer's first, a layer's before its input gradient is computed where
  /// the two are not one computation, and large matrices of text in several pieces.
  virtual void onFinal(std::size_t first, std::size_t count) = 0;
};

/// Tells the two passes of a gradient apart, to measure them. Called by the engine's thread.
class PassObserver {
 public:
  virtual ~PassObserver() = default;

  /// The loss is known: the forward pass is over.
  virtual void onLoss() = 0;
};

/// Tells a network's layers apart, to measure them: layers are then computed one after the other,
/// with the same bits. Called by the engine's thread.
class LayerObserver {
 public:
  virtual ~LayerObserver() = default;

  /// The outputs are there of the layer at `index` of the network, and of those after it that are
  /// computed with it.
  virtual void onForward(std::size_t index) = 0;
  /// So are all their gradients. Layers come last first.
  virtual void onBackward(std::size_t index) = 0;
};

/// Where a gradient goes, in plan order.
struct GradientTarget {
  std::span<float> values;
  Write write = Write::kReplace;
  GradientObserver* observer = nullptr;  // null: nobody follows
  PassObserver* passes = nullptr;        // null: nobody measures
  LayerObserver* layers = nullptr;       // likewise; of the first part of a call
};

/// One part of a call: what is computed and where it goes.
struct PartGradient {
  Part part;
  GradientTarget target;
  NextPartState next;
  float loss = 0;  // out: scale * sum of the part's losses
};

/// Lets weights arrive while a pass already computes. Called by the engine's thread, in the first
/// pass that follows setWeights(); may use the engine's pool, but not the engine.
class WeightsGate {
 public:
  virtual ~WeightsGate() = default;

  /// Returns when the weights [first, first + count), one layer's, have the values to compute with.
  /// Called before they are first read, for each layer that has weights, the first layer first.
  virtual void await(std::size_t first, std::size_t count) = 0;
};

struct Evaluation {
  std::int64_t correct = 0;
  double loss_sum = 0;  // over samples, and over the time steps of text
};

/// Computes one network's gradients with one variant of the kernels.
///
/// The gradient of a part depends on that part and the weights only: not on what was computed
/// before or with it, on batch sizes of other calls, or on the number of threads. Buffers are
/// planned when it is made; no call allocates. Owned by one thread, which works with the pool's.
class Engine {
 public:
  struct Options {
    std::int64_t max_samples = 1;  // of one call, all parts together
    int max_parts = 1;             // of one call
    std::uint64_t seed = 1;
    // More than one call computes gradients with the same weights: they are kept in the form that
    // products take, made once instead of once for each. Takes memory; the bits are the same.
    bool reuses_weights = false;
    bool is_sketch = false;  // without its buffers: may only be asked for bytes()
  };

  virtual ~Engine() = default;

  /// The memory of the buffers.
  virtual std::uint64_t bytes() const = 0;

  /// What gradient() and evaluate() compute with from now on, in plan order. They are read where
  /// they lie: neither they nor, once `gate` let them pass, their values may change until the next
  /// call. Without a gate all are there. Required before the first gradients().
  virtual void setWeights(std::span<const float> weights, WeightsGate* gate) = 0;
  void setWeights(std::span<const float> weights) { setWeights(weights, nullptr); }

  /// How many parts gradients() takes at once.
  virtual int maxParts() const = 0;

  /// Of each part writes d(scale * sum of the losses)/d(parameter) to `target`, the state after the
  /// step to `next`, and scale * sum of the losses to `loss`: the same bits as one part after the
  /// other, faster where parts are small. Every value is written for one part after the other, and
  /// announced to its observer before it is written for the next part: so a target may be another
  /// part's, too, or an observer may add it to that.
  ///
  /// Requires 1 to maxParts() parts with samples that follow each other in one step's mini-batch,
  /// each with at least one, together at most max_samples.
  virtual void gradients(std::span<PartGradient> parts, float scale) = 0;

  /// The same for one part; returns the loss.
  float gradient(const Part& part, float scale, const GradientTarget& target, NextPartState next);

  /// Without dropout; batchNorm takes its statistics from `state`. `next_recurrent` as above. The
  /// losses are added to those in `before` one after another, in the order of the samples: the bits
  /// of the sum are those of one call with all of them.
  virtual Evaluation evaluate(const Batch& batch, PartState state, std::span<float> next_recurrent,
                              const Evaluation& before) = 0;
  Evaluation evaluate(const Batch& batch, PartState state, std::span<float> next_recurrent) {
    return evaluate(batch, state, next_recurrent, {});
  }

  /// The network's outputs before the softmax, as evaluate() computes them, to `logits`: count x
  /// classes, of text count x time steps x classes. The batch needs no labels.
  virtual void predict(const Batch& batch, PartState state, std::span<float> next_recurrent,
                       std::span<float> logits) = 0;

 protected:
  Engine() = default;
};

}  // namespace sumac::worker
