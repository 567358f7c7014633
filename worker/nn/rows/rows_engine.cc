#include "worker/nn/rows/rows_engine.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "worker/nn/rows/layer.h"
#include "worker/nn/rows/rows_loss.h"
#include "worker/nn/weights_in_use.h"

namespace sumac::worker::rows {
namespace {

std::size_t extent(std::int64_t value) {
  return static_cast<std::size_t>(value);
}

// The layers one after the other, each with outputs of its own; the logits become their own
// gradients, and below them gradients go back and forth between two buffers.
class RowsEngine final : public Engine {
 public:
  static Result<std::unique_ptr<Engine>> make(const model::Network& network, const Kernels& kernels,
                                              ComputePool& pool, const Options& options);

  void setWeights(std::span<const float> weights, WeightsGate* gate) override;
  float gradient(const Part& part, float scale, const GradientTarget& target,
                 NextPartState next) override;
  Evaluation evaluate(const Batch& batch, PartState state,
                      std::span<float> next_recurrent) override;
  std::uint64_t bytes() const override { return arena_.bytes(); }

 private:
  RowsEngine(const model::Network& network, const Options& options)
      : options_(options),
        steps_(network.input.at(0)),
        vocabulary_(network.vocabulary()),
        classes_(network.classes),
        recurrent_(network.recurrent),
        parameters_(network.parameters) {}

  Result<void> plan(const model::Network& network, const Kernels& kernels, ComputePool& pool);
  Pass begin(const Batch& batch, PartState state, std::span<float> next_recurrent);
  void takeWords(const Batch& batch);
  float* forward(const Pass& pass);
  void backward(const Pass& pass, Gradients gradients);

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
  std::vector<float*> outputs_;  // of each layer, in this call
  std::optional<RowsLoss> loss_;
  Arena::Piece tokens_ = 0;  // of each row
  Arena::Piece labels_ = 0;
  std::array<Arena::Piece, 2> gradients_{};
};

Result<std::unique_ptr<Engine>> RowsEngine::make(const model::Network& network,
                                                 const Kernels& kernels, ComputePool& pool,
                                                 const Options& options) {
  SUMAC_CHECK(network.isText() && network.input.size() == 1, network.name);
  const bool ends_with_loss =
      std::holds_alternative<model::SoftmaxCrossEntropy>(network.layers.back().spec.kind);
  if (!ends_with_loss) {
    return Error{ErrorCode::kUnsupported,
                 "network \"" + network.name + "\" does not end with softmaxCrossEntropy"};
  }
  std::unique_ptr<RowsEngine> engine(new RowsEngine(network, options));
  if (const auto planned = engine->plan(network, kernels, pool); !planned) return planned.error();
  return std::unique_ptr<Engine>(std::move(engine));
}

Result<void> RowsEngine::plan(const model::Network& network, const Kernels& kernels,
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
  loss_.emplace(kernels, arena_, pool, extent(classes_), max_rows);
  tokens_ = arena_.reserve(max_rows);
  labels_ = arena_.reserve(max_rows);
  for (Arena::Piece& piece : gradients_)
    piece = arena_.reserve(widest * max_rows);
  if (!options_.is_sketch) arena_.build();
  return {};
}

void RowsEngine::setWeights(std::span<const float> weights, WeightsGate* gate) {
  SUMAC_CHECK(std::ssize(weights) == parameters_, weights.size(), parameters_);
  weights_.set(weights, gate);
}

Pass RowsEngine::begin(const Batch& batch, PartState state, std::span<float> next_recurrent) {
  const std::int64_t rows = batch.count * steps_;
  SUMAC_CHECK(weights_.version > 0);
  SUMAC_CHECK(batch.count >= 1 && batch.count <= options_.max_samples, batch.count,
              options_.max_samples);
  SUMAC_CHECK(std::ssize(batch.tokens) == rows, batch.tokens.size(), rows);
  SUMAC_CHECK(std::ssize(batch.labels) == rows, batch.labels.size(), rows);
  SUMAC_CHECK(std::ssize(state.recurrent) == batch.count * recurrent_, state.recurrent.size(),
              batch.count, recurrent_);
  SUMAC_CHECK(next_recurrent.size() == state.recurrent.size(), next_recurrent.size());
  takeWords(batch);
  return {.samples = extent(batch.count),
          .rows = extent(rows),
          .weights = weights_.values.data(),
          .weights_version = weights_.version,
          .tokens = arena_.indicesAt(tokens_),
          .state = state.recurrent.data(),
          .next_state = next_recurrent.data()};
}

void RowsEngine::takeWords(const Batch& batch) {
  const auto samples = extent(batch.count);
  const auto steps = extent(steps_);
  std::int32_t* const tokens = arena_.indicesAt(tokens_);
  std::int32_t* const labels = arena_.indicesAt(labels_);
  for (std::size_t sample = 0; sample < samples; ++sample) {
    for (std::size_t step = 0; step < steps; ++step) {
      const std::int32_t token = batch.tokens[sample * steps + step];
      const std::int32_t label = batch.labels[sample * steps + step];
      SUMAC_CHECK(token >= 0 && token < vocabulary_, token, vocabulary_);
      SUMAC_CHECK(label >= 0 && label < classes_, label, classes_);
      tokens[step * samples + sample] = token;
      labels[step * samples + sample] = label;
    }
  }
}

float* RowsEngine::forward(const Pass& pass) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    weights_.await(layer_weights_[i]);
    outputs_[i] = layers_[i]->forward(pass, i == 0 ? nullptr : outputs_[i - 1]);
  }
  weights_.gate = nullptr;
  return outputs_.back();
}

void RowsEngine::backward(const Pass& pass, Gradients gradients) {
  gradients.dy = outputs_.back();
  for (std::size_t i = layers_.size(); i-- > 0;) {
    gradients.dx = i == 0 ? nullptr : arena_.at(gradients_[i % 2]);
    layers_[i]->backward(pass, i == 0 ? nullptr : outputs_[i - 1], gradients);
    gradients.dy = gradients.dx;
  }
}

float RowsEngine::gradient(const Part& part, float scale, const GradientTarget& target,
                           NextPartState next) {
  SUMAC_CHECK(std::ssize(target.values) == parameters_, target.values.size(), parameters_);
  Pass pass = begin(part.batch, part.state, next.recurrent);
  pass.is_training = true;
  pass.step = part.step;
  pass.first_sample = part.first_sample;
  float* const logits = forward(pass);
  const double loss = loss_->gradient(logits, arena_.indicesAt(labels_), pass.rows, scale);
  backward(pass,
           {.weights = target.values.data(), .write = target.write, .observer = target.observer});
  return static_cast<float>(static_cast<double>(scale) * loss);
}

Evaluation RowsEngine::evaluate(const Batch& batch, PartState state,
                                std::span<float> next_recurrent) {
  const Pass pass = begin(batch, state, next_recurrent);
  const float* const logits = forward(pass);
  return loss_->evaluate(logits, arena_.indicesAt(labels_), pass.rows);
}

}  // namespace

Result<std::unique_ptr<Engine>> makeEngine(const model::Network& network, const Kernels& kernels,
                                           ComputePool& pool, const Engine::Options& options) {
  return RowsEngine::make(network, kernels, pool, options);
}

}  // namespace sumac::worker::rows
