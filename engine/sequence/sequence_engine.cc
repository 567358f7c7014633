#include "engine/sequence/sequence_engine.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "engine/nn/weights_in_use.h"
#include "engine/sequence/layer.h"
#include "engine/sequence/sequence_loss.h"

namespace sumac::worker::sequence {
namespace {

std::size_t extent(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

// The layers one after the other, each with outputs of its own; the logits become their own
// gradients, and below them gradients go back and forth between two buffers.
class SequenceEngine final : public Engine {
 public:
  static Result<std::unique_ptr<Engine>> make(const model::Network& network, const Kernels& kernels,
                                              ComputePool& pool, const Options& options);

  void setWeights(std::span<const float> weights, WeightsGate* gate) override;
  int maxParts() const override { return options_.max_parts; }
  void gradients(std::span<PartGradient> parts, float scale) override;
  Evaluation evaluate(const Batch& batch, PartState state, std::span<float> next_recurrent,
                      const Evaluation& before) override;
  void predict(const Batch& batch, PartState state, std::span<float> next_recurrent,
               std::span<float> logits) override;
  std::uint64_t bytes() const override { return arena_.bytes(); }

 private:
  SequenceEngine(const model::Network& network, const Options& options)
      : options_(options),
        steps_(network.input.at(0)),
        vocabulary_(network.vocabulary()),
        classes_(network.classes),
        recurrent_(network.recurrent),
        parameters_(network.parameters) {}

  Result<void> plan(const model::Network& network, const Kernels& kernels, ComputePool& pool);
  void require(const Batch& batch, PartState state, std::span<float> next_recurrent) const;
  void requireLabels(const Batch& batch) const;
  Pass begin(std::int64_t samples);
  PassPart& addPart(Pass& pass, const Batch& batch, PartState state,
                    std::span<float> next_recurrent);
  void takeWords(const Batch& batch, const PartRows& rows);
  float* forward(const Pass& pass, LayerObserver* layers);
  void backward(const Pass& pass, LayerObserver* layers);

  Options options_;
  std::int64_t steps_;
  std::int64_t vocabulary_;
  std::int64_t classes_;
  std::int64_t recurrent_;
  std::int64_t parameters_;
  WeightsInUse weights_;
  Arena arena_;
  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<Extent> layer_weights_;
  std::vector<PassPart> parts_;  // of this call, as these:
  std::vector<float*> outputs_;  // of each layer
  std::optional<SequenceLoss> loss_;
  Arena::Piece tokens_ = 0;  // of each row
  Arena::Piece labels_ = 0;
  std::array<Arena::Piece, 2> gradients_{};
};

Result<std::unique_ptr<Engine>> SequenceEngine::make(const model::Network& network,
                                                     const Kernels& kernels, ComputePool& pool,
                                                     const Options& options) {
  SUMAC_CHECK(network.isText() && network.input.size() == 1, network.name);
  const bool ends_with_loss =
      std::holds_alternative<model::SoftmaxCrossEntropy>(network.layers.back().spec.kind);
  if (!ends_with_loss) {
    return Error{ErrorCode::kUnsupported,
                 "network \"" + network.name + "\" does not end with softmaxCrossEntropy"};
  }
  std::unique_ptr<SequenceEngine> engine(new SequenceEngine(network, options));
  if (const auto planned = engine->plan(network, kernels, pool); !planned) return planned.error();
  return std::unique_ptr<Engine>(std::move(engine));
}

Result<void> SequenceEngine::plan(const model::Network& network, const Kernels& kernels,
                                  ComputePool& pool) {
  const std::int64_t max_rows = options_.max_samples * steps_;
  std::int64_t widest = 1;  // of the gradients between two layers
  for (std::size_t i = 0; i + 1 < network.layers.size(); ++i) {
    const model::Layer& layer = network.layers[i];
    auto made = makeLayer({.network = network,
                           .layer = layer,
                           .index = i,
                           .kernels = kernels,
                           .arena = arena_,
                           .pool = pool,
                           .max_samples = options_.max_samples,
                           .seed = options_.seed,
                           .reuses_weights = options_.reuses_weights});
    if (!made) return made.error();
    layers_.push_back(std::move(*made));
    layer_weights_.push_back(weightsOf(network, layer));
    if (i > 0) widest = std::max(widest, layer.input.back());
  }
  outputs_.resize(layers_.size());
  parts_.reserve(static_cast<std::size_t>(options_.max_parts));
  loss_.emplace(kernels, arena_, pool, extent(classes_), max_rows);
  tokens_ = arena_.reserve(max_rows);
  labels_ = arena_.reserve(max_rows);
  for (Arena::Piece& piece : gradients_)
    piece = arena_.reserve(widest * max_rows);
  if (!options_.is_sketch) arena_.build();
  return {};
}

void SequenceEngine::setWeights(std::span<const float> weights, WeightsGate* gate) {
  SUMAC_CHECK(std::ssize(weights) == parameters_, weights.size(), parameters_);
  weights_.set(weights, gate);
}

void SequenceEngine::require(const Batch& batch, PartState state,
                             std::span<float> next_recurrent) const {
  const std::int64_t rows = batch.count * steps_;
  SUMAC_CHECK(batch.count >= 1 && batch.count <= options_.max_samples, batch.count,
              options_.max_samples);
  SUMAC_CHECK(std::ssize(batch.tokens) == rows, batch.tokens.size(), rows);
  SUMAC_CHECK(std::ssize(state.recurrent) == batch.count * recurrent_, state.recurrent.size(),
              batch.count, recurrent_);
  SUMAC_CHECK(next_recurrent.size() == state.recurrent.size(), next_recurrent.size());
}

void SequenceEngine::requireLabels(const Batch& batch) const {
  SUMAC_CHECK(batch.labels.size() == batch.tokens.size(), batch.labels.size());
}

Pass SequenceEngine::begin(std::int64_t samples) {
  SUMAC_CHECK(weights_.version > 0);
  SUMAC_CHECK(samples <= options_.max_samples, samples, options_.max_samples);
  parts_.clear();
  return {.samples = extent(samples),
          .rows = extent(samples * steps_),
          .weights = weights_.values.data(),
          .weights_version = weights_.version,
          .tokens = arena_.indicesAt(tokens_)};
}

PassPart& SequenceEngine::addPart(Pass& pass, const Batch& batch, PartState state,
                                  std::span<float> next_recurrent) {
  const PartRows rows{
      .first_sample =
          parts_.empty() ? 0 : parts_.back().rows.first_sample + parts_.back().rows.samples,
      .samples = extent(batch.count),
      .all_samples = pass.samples,
      .steps = extent(steps_)};
  takeWords(batch, rows);
  parts_.push_back(
      {.rows = rows, .state = state.recurrent.data(), .next_state = next_recurrent.data()});
  pass.parts = parts_;
  return parts_.back();
}

void SequenceEngine::takeWords(const Batch& batch, const PartRows& rows) {
  std::int32_t* const tokens = arena_.indicesAt(tokens_);
  std::int32_t* const labels = arena_.indicesAt(labels_);
  std::size_t n = 0;
  rows.forEach([&](std::size_t row) {
    const std::size_t from = n % rows.samples * rows.steps + n / rows.samples;
    ++n;
    const std::int32_t token = batch.tokens[from];
    const std::int32_t label = batch.labels.empty() ? 0 : batch.labels[from];
    SUMAC_CHECK(token >= 0 && token < vocabulary_, token, vocabulary_);
    SUMAC_CHECK(label >= 0 && label < classes_, label, classes_);
    tokens[row] = token;
    labels[row] = label;
  });
}

float* SequenceEngine::forward(const Pass& pass, LayerObserver* layers) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    weights_.await(layer_weights_[i]);
    outputs_[i] = layers_[i]->forward(pass, i == 0 ? nullptr : outputs_[i - 1]);
    if (layers != nullptr) layers->onForward(i);
  }
  weights_.gate = nullptr;
  return outputs_.back();
}

void SequenceEngine::backward(const Pass& pass, LayerObserver* layers) {
  Gradients gradients{.dy = outputs_.back()};
  for (std::size_t i = layers_.size(); i-- > 0;) {
    gradients.dx = i == 0 ? nullptr : arena_.at(gradients_[i % 2]);
    layers_[i]->backward(pass, i == 0 ? nullptr : outputs_[i - 1], gradients);
    if (layers != nullptr) layers->onBackward(i);
    gradients.dy = gradients.dx;
  }
}

void SequenceEngine::gradients(std::span<PartGradient> parts, float scale) {
  SUMAC_CHECK(!parts.empty() && std::ssize(parts) <= options_.max_parts, parts.size(),
              options_.max_parts);
  const Part& first = parts.front().part;
  std::int64_t samples = 0;
  for (const auto& [part, target, next, loss] : parts) {
    require(part.batch, part.state, next.recurrent);
    requireLabels(part.batch);
    SUMAC_CHECK(std::ssize(target.values) == parameters_, target.values.size(), parameters_);
    SUMAC_CHECK(part.step == first.step, part.step, first.step);
    SUMAC_CHECK(part.first_sample == first.first_sample + samples, part.first_sample);
    samples += part.batch.count;
  }
  Pass pass = begin(samples);
  pass.is_training = true;
  pass.step = first.step;
  pass.first_sample = first.first_sample;
  for (const PartGradient& one : parts) {
    PassPart& part = addPart(pass, one.part.batch, one.part.state, one.next.recurrent);
    part.gradient = one.target.values.data();
    part.write = one.target.write;
    part.observer = one.target.observer;
  }
  LayerObserver* const layers = parts.front().target.layers;
  loss_->gradient(forward(pass, layers), arena_.indicesAt(labels_), pass.rows, scale);
  for (const PartGradient& one : parts) {
    if (one.target.passes != nullptr) one.target.passes->onLoss();
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double loss = loss_->sumOf(pass.parts[i].rows);
    parts[i].loss = static_cast<float>(static_cast<double>(scale) * loss);
  }
  backward(pass, layers);
}

Evaluation SequenceEngine::evaluate(const Batch& batch, PartState state,
                                    std::span<float> next_recurrent, const Evaluation& before) {
  require(batch, state, next_recurrent);
  requireLabels(batch);
  Pass pass = begin(batch.count);
  addPart(pass, batch, state, next_recurrent);
  const float* const logits = forward(pass, /*layers=*/nullptr);
  return loss_->evaluate(logits, arena_.indicesAt(labels_), pass.rows, before);
}

void SequenceEngine::predict(const Batch& batch, PartState state, std::span<float> next_recurrent,
                             std::span<float> logits) {
  require(batch, state, next_recurrent);
  const std::size_t classes = extent(classes_);
  SUMAC_CHECK(logits.size() == batch.tokens.size() * classes, logits.size());
  Pass pass = begin(batch.count);
  const PassPart& part = addPart(pass, batch, state, next_recurrent);
  const float* const all = forward(pass, /*layers=*/nullptr);
  std::size_t n = 0;
  part.rows.forEach([&](std::size_t row) {
    const std::size_t to = n % part.rows.samples * part.rows.steps + n / part.rows.samples;
    ++n;
    std::copy_n(all + row * classes, classes,
                logits.begin() + static_cast<std::ptrdiff_t>(to * classes));
  });
}

}  // namespace

Result<std::unique_ptr<Engine>> makeEngine(const model::Network& network, const Kernels& kernels,
                                           ComputePool& pool, const Engine::Options& options) {
  return SequenceEngine::make(network, kernels, pool, options);
}

}  // namespace sumac::worker::sequence
