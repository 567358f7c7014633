#include "worker/train/evaluator.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "worker/train/batch.h"

namespace sumac::worker {

double Score::perplexity() const {
  return std::exp(loss);
}

Evaluator::Evaluator(Engine& engine, EvaluationBatches batches, std::int64_t recurrent,
                     WorkCount* work)
    : engine_(engine),
      batches_(std::move(batches)),
      work_(work),
      recurrent_(static_cast<std::size_t>(recurrent)) {
  for (std::vector<float>& state : recurrents_)
    state.resize(static_cast<std::size_t>(batches_.largest()) * recurrent_);
}

std::optional<Score> Evaluator::evaluate(std::span<const float> weights,
                                         std::span<const float> statistics,
                                         const std::function<bool()>& mayGoOn) {
  engine_.setWeights(weights);
  Evaluation total;
  Evaluation sum;  // of the pieces whose losses are added one after another
  const auto addSum = [&] {
    total.correct += sum.correct;
    total.loss_sum += sum.loss_sum;
    sum = {};
  };
  for (std::int64_t piece = 0; piece < batches_.count(); ++piece) {
    if (!mayGoOn()) return std::nullopt;
    if (batches_.startsAtZero(piece)) std::ranges::fill(recurrents_[0], 0.0F);
    if (batches_.beginsSum(piece)) addSum();
    const BatchView view = batches_.batch(piece);
    const std::size_t values = static_cast<std::size_t>(view.count) * recurrent_;
    const PartState before{.recurrent = std::span(recurrents_[0]).first(values),
                           .statistics = statistics};
    sum = engine_.evaluate(batchOf(view), before, std::span(recurrents_[1]).first(values), sum);
    std::swap(recurrents_[0], recurrents_[1]);
    if (work_ != nullptr) work_->add();
  }
  addSum();
  const auto labels = static_cast<double>(batches_.labels());
  return Score{static_cast<double>(total.correct) / labels, total.loss_sum / labels};
}

}  // namespace sumac::worker
