#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "base/core/result.h"
#include "engine/data/evaluation_batches.h"
#include "engine/model_file/model_file.h"
#include "engine/nn/compute_pool.h"
#include "engine/nn/engine.h"
#include "kernels/kernels.h"
#include "worker/train/evaluator.h"

namespace sumac::worker {

/// A trained model that computes. Owned by one thread, which works with as many others as the
/// process may use.
class TrainedModel {
 public:
  /// Takes the kernels that trained it where this machine has them and `cpu_limit` (SUMAC_KERNELS)
  /// admits them: the same bits; else the best. `max_samples`: of one call of the engine. Fails
  /// where there are no kernels, and as makeEngine() does.
  static Result<std::unique_ptr<TrainedModel>> make(ModelFile file, std::int64_t max_samples,
                                                    const std::string& cpu_limit);

  const ModelFile& file() const { return file_; }

  /// How it does on a split. Requires batches of at most max_samples.
  Score evaluate(EvaluationBatches batches);

  /// Calls take(index, logits) for each of the samples, in their order. Their labels do not matter.
  using Take = std::function<void(std::int64_t index, std::span<const float> logits)>;
  void predict(const Samples& samples, const Take& take);

  /// The logits of one word of text, and the state after it. Requires a network of one time step.
  void predictNext(std::int32_t word, std::vector<float>& recurrent, std::vector<float>& logits);

 private:
  TrainedModel(ModelFile file, std::int64_t max_samples, Kernels kernels, int threads)
      : pool_(threads),
        file_(std::move(file)),
        max_samples_(max_samples),
        kernels_(std::move(kernels)) {}

  ComputePool pool_;  // first: the others need no room between them
  ModelFile file_;
  std::int64_t max_samples_;
  Kernels kernels_;
  std::unique_ptr<Engine> engine_;
};

/// The probabilities that logits stand for.
std::vector<double> softmax(std::span<const float> logits);

}  // namespace sumac::worker
