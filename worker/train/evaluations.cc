#include "worker/train/evaluations.h"

#include "engine/model_file/describe.h"

namespace sumac::worker {

Evaluations::Evaluations(const TrainingSetup& setup, const Compute& compute, const Scores& newest)
    : is_text_(setup.isText()),
      statistics_(static_cast<std::size_t>(setup.network.statistics)),
      scores_(newest) {
  const auto options = evaluationOptions(setup.job.training, setup.network);
  if (!is_text_) {
    const auto make = [&](std::optional<Evaluator>& evaluator, const Samples& samples) {
      if (samples.count() == 0) return;
      evaluator.emplace(compute.engine, EvaluationBatches(samples, options), 0, compute.work);
    };
    make(valid_, setup.dataset.images.validation);
    make(test_, setup.dataset.images.test);
    return;
  }
  const auto make = [&](std::optional<Evaluator>& evaluator, std::span<const std::int32_t> tokens) {
    if (!EvaluationBatches::isEnough(tokens, options)) return;
    evaluator.emplace(compute.engine, EvaluationBatches(tokens, options), setup.network.recurrent,
                      compute.work);
  };
  make(valid_, setup.dataset.text.valid);
  make(test_, setup.dataset.text.test);
}

const Scores* Evaluations::evaluate(Splits splits, const TrainingState& state,
                                    const std::function<bool()>& mayGoOn) {
  state.parts().meanStatistics(statistics_);
  Scores found = scores_;
  // Returns whether it came to the end.
  const auto renew = [&](std::optional<Evaluator>& split, std::optional<Score>& score) {
    if (!split) return true;
    score = split->evaluate(state.weights(), statistics_, mayGoOn);
    return score.has_value();
  };
  if (splits != Splits::kTest && !renew(valid_, found.valid)) return nullptr;
  if (splits != Splits::kValid && !renew(test_, found.test)) return nullptr;
  scores_ = found;
  return &scores_;
}

void Evaluations::putInto(JobResult& result) const {
  if (!is_text_) {
    if (scores_.valid) result.valid_accuracy = scores_.valid->accuracy;
    if (scores_.test) result.test_accuracy = scores_.test->accuracy;
    return;
  }
  if (scores_.valid) result.valid_perplexity = scores_.valid->perplexity();
  if (scores_.test) result.test_perplexity = scores_.test->perplexity();
}

}  // namespace sumac::worker
