#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/core/result.h"

namespace sumac::bench {

struct StepOptions {
  std::string model;
  std::int64_t batch = 0;  // samples; streams of text
  int parts = 1;           // V
  int threads = 1;
  std::int64_t vocabulary = 0;  // of text
  std::string kernels;          // the best variant to use, empty for the machine's
};

/// What one worker with all parts does in a step, but for the exchange: takes its samples from
/// memory, computes the gradients of the parts, sums them along the tree, updates. The data are
/// synthetic. Owned by one thread.
class TrainingStep {
 public:
  /// Fails as the worker would: an unknown model, a layer that the engine cannot compute.
  static Result<std::unique_ptr<TrainingStep>> create(const StepOptions& options);
  virtual ~TrainingStep() = default;

  /// Computes the next step and applies it; returns its loss.
  virtual float run() = 0;

  /// Samples, or words of text, of one step.
  virtual std::int64_t perStep() const = 0;
  /// The kernels it computes with: "avx512".
  virtual std::string kernels() const = 0;

 protected:
  TrainingStep() = default;
};

}  // namespace sumac::bench
