#include "worker/train/evaluator.h"

#include <algorithm>
#include <numeric>

#include "common/base/check.h"

namespace sumac::worker {

Evaluator::Evaluator(Engine& engine, const Samples& samples, std::int64_t batch)
    : engine_(engine),
      samples_(samples),
      batch_(std::min(batch, samples.count())),
      inputs_(static_cast<std::size_t>(batch_ * model::count(samples.shape))),
      labels_(static_cast<std::size_t>(batch_)) {
  SUMAC_CHECK(batch_ >= 1);
}

Evaluator::Score Evaluator::evaluate(std::span<const float> weights) {
  Evaluation total;
  const auto sample_size = static_cast<std::size_t>(model::count(samples_.shape));
  for (std::int64_t first = 0; first < samples_.count(); first += batch_) {
    std::vector<std::int64_t> indices(
        static_cast<std::size_t>(std::min(batch_, samples_.count() - first)));
    std::iota(indices.begin(), indices.end(), first);
    const auto inputs = std::span<float>(inputs_).first(indices.size() * sample_size);
    const auto labels = std::span<std::int32_t>(labels_).first(indices.size());
    gather(samples_, indices, inputs, labels);
    const Evaluation piece =
        engine_.evaluate(weights, Batch{std::ssize(labels), inputs, {}, labels}, {}, {});
    total.correct += piece.correct;
    total.loss_sum += piece.loss_sum;
  }
  const auto samples = static_cast<double>(samples_.count());
  return Score{static_cast<double>(total.correct) / samples, total.loss_sum / samples};
}

}  // namespace sumac::worker
