#pragma once

#include <cstdint>
#include <span>

#include "common/kernels/kernels.h"
#include "worker/nn/arena.h"
#include "worker/nn/engine.h"

namespace sumac::worker {

/// Softmax and cross-entropy of a network's last values. Owned by an engine; used by its thread
/// only.
class Loss {
 public:
  /// `arena` outlives the loss.
  Loss(const Kernels& kernels, Arena& arena, int classes, std::int64_t max_samples);

  /// Sum of the samples' losses; writes its gradient times `scale` to `dlogits`. Requires labels
  /// below the number of classes.
  double gradient(const float* logits, std::span<const std::int32_t> labels, float scale,
                  float* dlogits);
  Evaluation evaluate(const float* logits, std::span<const std::int32_t> labels);

 private:
  double sum(const float* logits, std::span<const std::int32_t> labels, float scale,
             float* dlogits);

  Kernels kernels_;
  Arena& arena_;  // outlives us
  std::size_t classes_;
  Arena::Piece losses_;
};

}  // namespace sumac::worker
