#include "worker/nn/engine.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "worker/nn/layer.h"
#include "worker/nn/loss.h"

namespace sumac::worker {
namespace {

// The layers one after the other. Each writes its outputs to a piece of its own, except where it
// may work in place; slopes go back and forth between two pieces.
class SequentialEngine final : public Engine {
 public:
  static Result<std::unique_ptr<Engine>> make(const model::Network& network, const Kernels& kernels,
                                              std::int64_t max_samples);

  float gradient(std::span<const float> weights, const Part& part, float scale,
                 std::span<float> gradient, Write write, NextPartState next) override;
  Evaluation evaluate(std::span<const float> weights, const Batch& batch, PartState state,
                      std::span<float> next_recurrent) override;

 private:
  struct Stage {
    std::unique_ptr<LayerEngine> layer;
    std::optional<Arena::Piece> input;  // none: the batch's own inputs
    Arena::Piece output = 0;
    bool in_place = false;
  };

  SequentialEngine(const model::Network& network, std::int64_t max_samples)
      : inputs_(model::count(network.input)),
        parameters_(network.parameters),
        max_samples_(max_samples) {}

  Result<void> plan(const model::Network& network, const Kernels& kernels);
  Result<void> addStage(const LayerContext& context);
  void require(std::span<const float> weights, const Batch& batch) const;
  Pass passOf(const Stage& stage, std::span<const float> weights, const Batch& batch);
  const float* forward(std::span<const float> weights, const Batch& batch);
  void backward(std::span<const float> weights, const Batch& batch, std::span<float> gradient);

  std::int64_t inputs_;
  std::int64_t parameters_;
  std::int64_t max_samples_;
  Arena arena_;
  std::vector<Stage> stages_;
  std::optional<Loss> loss_;
  std::array<Arena::Piece, 2> slopes_{};
};

Result<std::unique_ptr<Engine>> SequentialEngine::make(const model::Network& network,
                                                       const Kernels& kernels,
                                                       std::int64_t max_samples) {
  std::unique_ptr<SequentialEngine> engine(new SequentialEngine(network, max_samples));
  if (const auto planned = engine->plan(network, kernels); !planned) return planned.error();
  return std::unique_ptr<Engine>(std::move(engine));
}

Result<void> SequentialEngine::plan(const model::Network& network, const Kernels& kernels) {
  const bool ends_with_loss =
      !network.layers.empty() &&
      std::holds_alternative<model::SoftmaxCrossEntropy>(network.layers.back().spec.kind);
  if (!ends_with_loss) {
    return Error{ErrorCode::kUnsupported,
                 "network \"" + network.name + "\" does not end with softmaxCrossEntropy"};
  }
  std::int64_t widest = network.classes;
  for (std::size_t i = 0; i + 1 < network.layers.size(); ++i) {
    const model::Layer& layer = network.layers[i];
    const LayerContext context{network, layer, kernels, arena_, max_samples_};
    if (const auto added = addStage(context); !added) return added.error();
    widest = std::max(widest, model::count(layer.output));
  }
  if (stages_.empty()) {
    return Error{ErrorCode::kUnsupported,
                 "network \"" + network.name + "\" has no layer that computes anything"};
  }
  loss_.emplace(kernels, arena_, network.classes, max_samples_);
  for (Arena::Piece& piece : slopes_)
    piece = arena_.reserve(widest * max_samples_);
  arena_.build();
  return {};
}

Result<void> SequentialEngine::addStage(const LayerContext& context) {
  auto made = makeLayerEngine(context);
  if (!made) return made.error();
  if (*made == nullptr) return {};
  Stage stage;
  stage.layer = std::move(*made);
  if (!stages_.empty()) stage.input = stages_.back().output;
  stage.in_place = stage.layer->inPlace() && stage.input.has_value();
  stage.output = stage.in_place ? *stage.input
                                : arena_.reserve(model::count(context.layer.output) * max_samples_);
  stages_.push_back(std::move(stage));
  return {};
}

void SequentialEngine::require(std::span<const float> weights, const Batch& batch) const {
  SUMAC_CHECK(batch.count >= 1 && batch.count <= max_samples_, batch.count, max_samples_);
  SUMAC_CHECK(std::ssize(batch.labels) == batch.count, batch.labels.size(), batch.count);
  SUMAC_CHECK(std::ssize(batch.inputs) == batch.count * inputs_, batch.inputs.size(), batch.count,
              inputs_);
  SUMAC_CHECK(std::ssize(weights) == parameters_, weights.size(), parameters_);
}

Pass SequentialEngine::passOf(const Stage& stage, std::span<const float> weights,
                              const Batch& batch) {
  return {.samples = batch.count,
          .weights = weights.data(),
          .x = stage.input ? arena_.at(*stage.input) : batch.inputs.data(),
          .y = arena_.at(stage.output)};
}

const float* SequentialEngine::forward(std::span<const float> weights, const Batch& batch) {
  for (const Stage& stage : stages_)
    stage.layer->forward(passOf(stage, weights, batch));
  return arena_.at(stages_.back().output);
}

void SequentialEngine::backward(std::span<const float> weights, const Batch& batch,
                                std::span<float> gradient) {
  std::size_t current = 0;
  for (std::size_t i = stages_.size(); i-- > 0;) {
    const Stage& stage = stages_[i];
    const std::size_t next = stage.in_place ? current : 1 - current;
    stage.layer->backward({.forward = passOf(stage, weights, batch),
                           .dy = arena_.at(slopes_[current]),
                           .dx = i == 0 ? nullptr : arena_.at(slopes_[next]),
                           .gradient = gradient.data()});
    current = next;
  }
}

float SequentialEngine::gradient(std::span<const float> weights, const Part& whole, float scale,
                                 std::span<float> gradient, Write write, NextPartState /*next*/) {
  const Batch& part = whole.batch;
  require(weights, part);
  SUMAC_CHECK(write == Write::kReplace);
  SUMAC_CHECK(gradient.size() == weights.size(), gradient.size(), weights.size());
  const float* const logits = forward(weights, part);
  const double loss = loss_->gradient(logits, part.labels, scale, arena_.at(slopes_[0]));
  backward(weights, part, gradient);
  return static_cast<float>(static_cast<double>(scale) * loss);
}

Evaluation SequentialEngine::evaluate(std::span<const float> weights, const Batch& batch,
                                      PartState /*state*/, std::span<float> /*next_recurrent*/) {
  require(weights, batch);
  return loss_->evaluate(forward(weights, batch), batch.labels);
}

}  // namespace

Result<std::unique_ptr<Engine>> Engine::create(const model::Network& network,
                                               const Kernels& kernels, ComputePool& /*pool*/,
                                               const Options& options) {
  SUMAC_CHECK(options.max_samples >= 1, options.max_samples);
  return SequentialEngine::make(network, kernels, options.max_samples);
}

}  // namespace sumac::worker
