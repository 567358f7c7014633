#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/core/work_count.h"
#include "engine/data/evaluation_batches.h"
#include "engine/nn/engine.h"
#include "worker/train/part_states.h"

namespace sumac::worker {

/// How a network does on one split.
struct Score {
  double accuracy = 0;  // in [0, 1]
  double loss = 0;      // mean over the samples; of text over the words

  /// How many words it hesitates between.
  double perplexity() const;
};

/// Runs the network over every sample of one split. Owned by the trainer's thread.
class Evaluator {
 public:
  /// `engine` takes as many samples as the largest of `batches`, and outlives us. `recurrent`: of
  /// one sample. `work` counts the batches and outlives us, too; null: not counted.
  Evaluator(Engine& engine, EvaluationBatches batches, std::int64_t recurrent,
            WorkCount* work = nullptr);

  /// `statistics`: of the network, as PartStates::meanStatistics() gives them. Recurrent state is
  /// carried along each stream from zero. Asks `mayGoOn` before each batch, and returns nothing
  /// once it says no.
  std::optional<Score> evaluate(std::span<const float> weights, std::span<const float> statistics,
                                const std::function<bool()>& mayGoOn);

 private:
  Engine& engine_;  // outlives us
  EvaluationBatches batches_;
  WorkCount* work_;
  std::size_t recurrent_;                         // values of one sample
  std::array<std::vector<float>, 2> recurrents_;  // before a piece and after it
};

/// The scores there are: data may lack a split, and training is watched on one of them only.
struct Scores {
  std::optional<Score> valid;
  std::optional<Score> test;
};

}  // namespace sumac::worker
