#include "engine/image/image_loss.h"

#include "base/core/check.h"

namespace sumac::worker::image {

ImageLoss::ImageLoss(const Context& context, const Value& logits, int classes)
    : kernels_(context.kernels),
      pool_(context.pool),
      arena_(context.arena),
      logits_(logits.data),
      classes_(static_cast<std::size_t>(classes)),
      losses_(context.reserve(context.max_blocks * context.lanes())) {}

double ImageLoss::gradient(std::span<const std::int32_t> labels, float scale, float* dy) {
  compute(labels, scale, dy);
  return addTo(0, labels.size());
}

Evaluation ImageLoss::evaluate(std::span<const std::int32_t> labels, const Evaluation& before) {
  compute(labels, 1.0F, nullptr);
  Evaluation result = before;
  result.loss_sum = addTo(before.loss_sum, labels.size());
  const std::size_t lanes = kernels_->lanes;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const float* const logits = arena_.at(logits_) + i / lanes * classes_ * lanes + i % lanes;
    std::size_t best = 0;
    for (std::size_t value = 1; value < classes_; ++value)
      if (logits[value * lanes] > logits[best * lanes]) best = value;
    if (best == static_cast<std::size_t>(labels[i])) ++result.correct;
  }
  return result;
}

void ImageLoss::copyLogits(std::size_t samples, std::span<float> to) const {
  SUMAC_CHECK(to.size() == samples * classes_, to.size(), samples, classes_);
  const std::size_t lanes = kernels_->lanes;
  for (std::size_t i = 0; i < samples; ++i) {
    const float* const from = arena_.at(logits_) + i / lanes * classes_ * lanes + i % lanes;
    for (std::size_t value = 0; value < classes_; ++value)
      to[i * classes_ + value] = from[value * lanes];
  }
}

void ImageLoss::compute(std::span<const std::int32_t> labels, float scale, float* dy) {
  for (const std::int32_t label : labels) {
    SUMAC_CHECK(label >= 0 && static_cast<std::size_t>(label) < classes_, label, classes_);
  }
  const std::size_t lanes = kernels_->lanes;
  const std::size_t blocks = (labels.size() + lanes - 1) / lanes;
  float* const losses = arena_.at(losses_);
  const Split split(blocks, classes_ * 32);
  pool_.run(split.count, [&](std::size_t task) {
    for (std::size_t block = split.begin(task); block < split.begin(task + 1); ++block) {
      const std::size_t at = block * classes_ * lanes;
      const SumacLanesLoss loss{.classes = classes_,
                                .labels = labels.data() + block * lanes,
                                .count = std::min(lanes, labels.size() - block * lanes),
                                .scale = scale};
      kernels_->lanesSoftmaxCrossEntropy(&loss, losses + block * lanes,
                                         dy == nullptr ? nullptr : dy + at,
                                         arena_.at(logits_) + at);
    }
  });
}

double ImageLoss::addTo(double total, std::size_t samples) {
  const float* const losses = arena_.at(losses_);
  for (std::size_t i = 0; i < samples; ++i)
    total += static_cast<double>(losses[i]);
  return total;
}

}  // namespace sumac::worker::image
