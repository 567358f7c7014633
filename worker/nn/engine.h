#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "common/base/result.h"
#include "common/kernels/kernels.h"
#include "common/model/network.h"

namespace sumac::worker {

/// Samples of one part, or of a piece of the test set: `inputs` are count x (channels x rows x
/// columns), sample after sample, scaled to floats; `labels` are class indices below the network's
/// classes.
struct Batch {
  std::span<const float> inputs;
  std::span<const std::int32_t> labels;

  std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
};

struct Evaluation {
  std::int64_t correct = 0;
  double loss_sum = 0;
};

/// Computes one network's gradients with one variant of the kernels.
///
/// The gradient of a part depends on that part's samples and the weights only: not on what was
/// computed before, on batch sizes of other calls, or on threads. Buffers are planned when it is
/// made, for batches up to max_samples. Owned by one thread.
class Engine {
 public:
  /// Fails with kUnsupported when the network has a layer that this engine cannot compute.
  static Result<std::unique_ptr<Engine>> create(const model::Network& network,
                                                const Kernels& kernels, std::int64_t max_samples);
  virtual ~Engine() = default;

  /// Writes d(scale * sum of the samples' losses)/d(parameter) to `gradient` (plan order) and
  /// returns scale * sum of the samples' losses. Requires 1 <= part.count() <= max_samples.
  virtual float gradient(std::span<const float> weights, const Batch& part, float scale,
                         std::span<float> gradient) = 0;

  /// Forward only; requires as gradient().
  virtual Evaluation evaluate(std::span<const float> weights, const Batch& batch) = 0;
};

}  // namespace sumac::worker
