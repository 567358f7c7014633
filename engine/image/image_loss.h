#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/image/operation.h"
#include "engine/nn/engine.h"

namespace sumac::worker::image {

/// Softmax and cross-entropy of a network's last values. Owned by an engine; used by its thread,
/// which works with the pool's.
class ImageLoss {
 public:
  ImageLoss(const Context& context, const Value& logits, int classes);

  /// Sum of the samples' losses; writes its gradient times `scale` to `dy`. Requires labels
  /// below the number of classes.
  double gradient(std::span<const std::int32_t> labels, float scale, float* dy);
  Evaluation evaluate(std::span<const std::int32_t> labels, const Evaluation& before);
  /// What the softmax takes, sample after sample. Requires room for exactly that.
  void copyLogits(std::size_t samples, std::span<float> to) const;

 private:
  void compute(std::span<const std::int32_t> labels, float scale, float* dy);
  double addTo(double total, std::size_t samples);

  Kernels kernels_;
  ComputePool& pool_;  // outlives us
  Arena& arena_;       // outlives us
  Arena::Piece logits_;
  std::size_t classes_;
  Arena::Piece losses_;
};

}  // namespace sumac::worker::image
