#include "engine/data/batches.h"

#include <algorithm>
#include <string>

#include "base/core/check.h"
#include "job/document/data_limits.h"

namespace sumac::worker {
namespace {

std::int64_t streamLength(const Dataset& dataset, const TrainingBatches::Options& options) {
  return std::ssize(dataset.text.train) / options.batch_size;
}

}  // namespace

Result<void> TrainingBatches::check(const Dataset& dataset, const Options& options) {
  SUMAC_CHECK(options.batch_size >= 1, options.batch_size);
  constexpr const char* kField = "spec.training.batchSize";
  if (dataset.kind() == DataKind::kImages) {
    const auto checked = job::checkSamples(options.batch_size, dataset.images.train.count());
    return checked ? Result<void>() : checked.error().within(kField);
  }
  SUMAC_CHECK(options.unroll >= 1, options.unroll);
  const auto checked =
      job::checkWords(options.batch_size, options.unroll, std::ssize(dataset.text.train));
  return checked ? Result<void>() : checked.error().within(kField);
}

TrainingBatches::TrainingBatches(const Dataset& dataset, const Options& options)
    : dataset_(dataset), options_(options) {
  SUMAC_CHECK(1 <= options.parts && options.parts <= options.batch_size, options.parts,
              options.batch_size);
  const auto enough = check(dataset, options);
  SUMAC_CHECK(enough.has_value(), options.batch_size, options.unroll);
  if (dataset.kind() == DataKind::kImages) {
    sampler_.emplace(options.seed, dataset.images.train.count(), options.batch_size, options.parts);
    steps_per_epoch_ = sampler_->stepsPerEpoch();
    if (options.augment.isNone()) return;
    const model::Shape& shape = dataset.images.train.shape;
    augmenter_.emplace(options.augment, shape, options.seed);
    image_.resize(static_cast<std::size_t>(model::count(shape)));
    changed_.resize(image_.size());
  } else {
    stream_length_ = streamLength(dataset, options);
    labels_per_sample_ = options.unroll;
    steps_per_epoch_ = (stream_length_ - 1) / options.unroll;
  }
}

std::int64_t TrainingBatches::firstSample(int part) const {
  SUMAC_CHECK(part >= 0 && part <= options_.parts, part, options_.parts);
  return part * options_.batch_size / options_.parts;
}

BatchBuffers TrainingBatches::makeBuffers(std::int64_t samples) const {
  SUMAC_CHECK(samples >= 1, samples);
  BatchBuffers buffers;
  buffers.labels.resize(static_cast<std::size_t>(samples * labels_per_sample_));
  if (dataset_.kind() == DataKind::kText) {
    buffers.tokens.resize(buffers.labels.size());
  } else {
    const std::int64_t values = samples * model::count(dataset_.images.train.shape);
    buffers.inputs.resize(static_cast<std::size_t>(values));
  }
  return buffers;
}

BatchView TrainingBatches::fill(Step step, int part, BatchBuffers& buffers) {
  SUMAC_CHECK(step >= 1 && part >= 0 && part < options_.parts, step, part, options_.parts);
  const auto labels = static_cast<std::size_t>(samplesOf(part) * labels_per_sample_);
  SUMAC_CHECK(buffers.labels.size() >= labels, buffers.labels.size(), labels);
  return dataset_.kind() == DataKind::kImages ? fillImages(step, part, buffers)
                                              : fillText(step, part, buffers);
}

BatchView TrainingBatches::fillImages(Step step, int part, BatchBuffers& buffers) {
  const Samples& samples = dataset_.images.train;
  const auto indices = sampler_->indices(step, part);
  const auto size = static_cast<std::size_t>(model::count(samples.shape));
  const auto inputs = std::span(buffers.inputs).first(indices.size() * size);
  const auto labels = std::span(buffers.labels).first(indices.size());
  if (augmenter_) {
    augment(step, indices, inputs, labels);
  } else {
    gather(samples, indices, inputs, labels);
  }
  return {.count = std::ssize(indices), .inputs = inputs, .tokens = {}, .labels = labels};
}

void TrainingBatches::augment(Step step, std::span<const std::int64_t> indices,
                              std::span<float> inputs, std::span<std::int32_t> labels) {
  const Samples& samples = dataset_.images.train;
  const std::int64_t epoch = sampler_->epochOf(step);
  for (std::size_t i = 0; i < indices.size(); ++i) {
    augmenter_->change(pixelsOf(samples, indices[i], image_), epoch, indices[i], changed_);
    toInputs(changed_, samples.normalization, inputs.subspan(i * changed_.size(), changed_.size()));
    labels[i] = samples.labels[static_cast<std::size_t>(indices[i])];
  }
}

BatchView TrainingBatches::fillText(Step step, int part, BatchBuffers& buffers) const {
  const std::int64_t first = (step - 1) % steps_per_epoch_ * options_.unroll;
  auto token = buffers.tokens.begin();
  auto label = buffers.labels.begin();
  for (std::int64_t stream = firstSample(part); stream < firstSample(part + 1); ++stream) {
    const auto from = dataset_.text.train.begin() + stream * stream_length_ + first;
    token = std::copy_n(from, options_.unroll, token);
    label = std::copy_n(from + 1, options_.unroll, label);
  }
  const auto size = static_cast<std::size_t>(token - buffers.tokens.begin());
  return {.count = samplesOf(part),
          .inputs = {},
          .tokens = std::span(buffers.tokens).first(size),
          .labels = std::span(buffers.labels).first(size)};
}

}  // namespace sumac::worker
