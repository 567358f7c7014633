#include "worker/nn/loss.h"

#include <algorithm>

#include "common/base/check.h"

namespace sumac::worker {

Loss::Loss(const Kernels& kernels, Arena& arena, int classes, std::int64_t max_samples)
    : kernels_(kernels),
      arena_(arena),
      classes_(static_cast<std::size_t>(classes)),
      losses_(arena.reserve(max_samples)) {}

double Loss::gradient(const float* logits, std::span<const std::int32_t> labels, float scale,
                      float* dlogits) {
  return sum(logits, labels, scale, dlogits);
}

Evaluation Loss::evaluate(const float* logits, std::span<const std::int32_t> labels) {
  Evaluation result;
  result.loss_sum = sum(logits, labels, 1.0F, nullptr);
  for (const std::int32_t label : labels) {
    const float* const best = std::max_element(logits, logits + classes_);
    if (best == logits + label) ++result.correct;
    logits += classes_;
  }
  return result;
}

double Loss::sum(const float* logits, std::span<const std::int32_t> labels, float scale,
                 float* dlogits) {
  for (const std::int32_t label : labels) {
    SUMAC_CHECK(label >= 0 && static_cast<std::size_t>(label) < classes_, label, classes_);
  }
  float* const losses = arena_.at(losses_);
  kernels_->softmaxCrossEntropy(losses, dlogits, logits, labels.data(), classes_, labels.size(),
                                scale);
  double total = 0;
  for (std::size_t i = 0; i < labels.size(); ++i)
    total += static_cast<double>(losses[i]);
  return total;
}

}  // namespace sumac::worker
