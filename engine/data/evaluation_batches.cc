#include "engine/data/evaluation_batches.h"

#include <algorithm>

#include "base/core/check.h"

namespace sumac::worker {
namespace {

std::int64_t ceilDivide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

/// The number of streams with enough words for at least one step each; 0 if there are too few
/// words.
std::int64_t streams(std::span<const std::int32_t> tokens,
                     const EvaluationBatches::Options& options) {
  return std::min(options.batch_size, std::ssize(tokens) / (options.unroll + std::int64_t{1}));
}

}  // namespace

EvaluationBatches::EvaluationBatches(const Samples& samples, const Options& options)
    : samples_(&samples), samples_count_(samples.count()) {
  SUMAC_CHECK(samples_count_ >= 1 && options.max_samples >= 1, samples_count_, options.max_samples);
  largest_ = std::min(options.max_samples, samples_count_);
  count_ = ceilDivide(samples_count_, largest_);
  labels_ = samples_count_;
  pieces_per_sum_ = ceilDivide(options.summed_samples, options.max_samples);
  buffers_.inputs.resize(static_cast<std::size_t>(largest_ * model::count(samples.shape)));
  buffers_.labels.resize(static_cast<std::size_t>(largest_));
}

EvaluationBatches::EvaluationBatches(std::span<const std::int32_t> tokens, const Options& options)
    : tokens_(tokens), unroll_(options.unroll) {
  SUMAC_CHECK(options.batch_size >= 1 && options.unroll >= 1 && options.max_samples >= 1,
              options.batch_size, options.unroll, options.max_samples);
  SUMAC_CHECK(isEnough(tokens, options), tokens.size(), options.unroll);
  samples_count_ = streams(tokens, options);
  largest_ = std::min(options.max_samples, samples_count_);
  stream_length_ = std::ssize(tokens) / samples_count_;
  pieces_per_group_ = (stream_length_ - 1) / unroll_;
  count_ = ceilDivide(samples_count_, largest_) * pieces_per_group_;
  labels_ = samples_count_ * pieces_per_group_ * unroll_;
  buffers_.tokens.resize(static_cast<std::size_t>(largest_ * unroll_));
  buffers_.labels.resize(buffers_.tokens.size());
}

bool EvaluationBatches::isEnough(std::span<const std::int32_t> tokens, const Options& options) {
  return streams(tokens, options) >= 1;
}

BatchView EvaluationBatches::batch(std::int64_t piece) {
  SUMAC_CHECK(piece >= 0 && piece < count_, piece, count_);
  return samples_ == nullptr ? textOf(piece) : imagesOf(piece);
}

BatchView EvaluationBatches::imagesOf(std::int64_t piece) {
  const std::int64_t first = piece * largest_;
  const std::int64_t size = std::min(largest_, samples_count_ - first);
  const std::int64_t values = size * model::count(samples_->shape);
  const auto inputs = std::span(buffers_.inputs).first(static_cast<std::size_t>(values));
  const auto labels = std::span(buffers_.labels).first(static_cast<std::size_t>(size));
  gatherRange(*samples_, first, inputs, labels);
  return {.count = size, .inputs = inputs, .tokens = {}, .labels = labels};
}

BatchView EvaluationBatches::textOf(std::int64_t piece) {
  const std::int64_t first = piece / pieces_per_group_ * largest_;
  const std::int64_t end = std::min(first + largest_, samples_count_);
  const std::int64_t word = piece % pieces_per_group_ * unroll_;
  auto token = buffers_.tokens.begin();
  auto label = buffers_.labels.begin();
  for (std::int64_t stream = first; stream < end; ++stream) {
    const auto from = tokens_.begin() + stream * stream_length_ + word;
    token = std::copy_n(from, unroll_, token);
    label = std::copy_n(from + 1, unroll_, label);
  }
  const auto size = static_cast<std::size_t>((end - first) * unroll_);
  return {.count = end - first,
          .inputs = {},
          .tokens = std::span(buffers_.tokens).first(size),
          .labels = std::span(buffers_.labels).first(size)};
}

}  // namespace sumac::worker
