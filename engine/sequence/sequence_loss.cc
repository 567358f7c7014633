#include "engine/sequence/sequence_loss.h"

#include <algorithm>

#include "engine/sequence/split.h"

namespace sumac::worker::sequence {

SequenceLoss::SequenceLoss(const Kernels& kernels, Arena& arena, ComputePool& pool,
                           std::size_t classes, std::int64_t max_rows)
    : kernels_(kernels),
      arena_(arena),
      pool_(pool),
      classes_(classes),
      losses_(arena.reserve(max_rows)),
      correct_(arena.reserve(max_rows)) {}

void SequenceLoss::gradient(float* logits, const std::int32_t* labels, std::size_t rows,
                            float scale) {
  float* const losses = arena_.at(losses_);
  split(pool_, rows, 1, [&](Range range) {
    float* const own = logits + range.begin * classes_;
    kernels_->softmaxCrossEntropy(losses + range.begin, own, own, labels + range.begin, classes_,
                                  range.size(), scale);
  });
}

Evaluation SequenceLoss::evaluate(const float* logits, const std::int32_t* labels, std::size_t rows,
                                  const Evaluation& before) {
  float* const losses = arena_.at(losses_);
  std::int32_t* const correct = arena_.indicesAt(correct_);
  split(pool_, rows, 1, [&](Range range) {
    const float* const own = logits + range.begin * classes_;
    kernels_->softmaxCrossEntropy(losses + range.begin, nullptr, own, labels + range.begin,
                                  classes_, range.size(), 1.0F);
    kernels_->areArgmax(correct + range.begin, own, labels + range.begin, classes_, range.size());
  });
  Evaluation evaluation{.correct = before.correct,
                        .loss_sum = addTo(before.loss_sum, {0, rows, rows, 1})};
  for (std::size_t row = 0; row < rows; ++row)
    evaluation.correct += correct[row];
  return evaluation;
}

double SequenceLoss::addTo(double total, const PartRows& rows) {
  const float* const losses = arena_.at(losses_);
  rows.forEach([&](std::size_t row) { total += static_cast<double>(losses[row]); });
  return total;
}

}  // namespace sumac::worker::sequence
