#pragma once

#include <span>
#include <vector>

#include "worker/data/dataset.h"
#include "worker/nn/engine.h"

namespace sumac::worker {

/// Runs the network over every test sample. Owned by the trainer's thread.
class Evaluator {
 public:
  /// `batch`: samples of one engine call, at most the engine's max_samples. The references outlive
  /// us.
  Evaluator(Engine& engine, const Samples& samples, std::int64_t batch);

  struct Score {
    double accuracy = 0;  // in [0, 1]
    double loss = 0;      // mean over the samples
  };
  Score evaluate(std::span<const float> weights);

 private:
  Engine& engine_;          // outlives us
  const Samples& samples_;  // outlives us
  std::int64_t batch_;
  std::vector<float> inputs_;
  std::vector<std::int32_t> labels_;
};

}  // namespace sumac::worker
