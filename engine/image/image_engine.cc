#include "engine/image/image_engine.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/core/check.h"
#include "base/core/checked.h"
#include "engine/image/image_loss.h"
#include "engine/image/make_operation.h"
#include "engine/image/operation_graph.h"
#include "engine/nn/weights_in_use.h"

namespace sumac::worker::image {
namespace {

// Of one value: far above what there is, so far below 2^64 that no size made of it wraps.
constexpr std::size_t kMaxFloats = std::size_t{1} << 50U;

class ImageEngine final : public Engine {
 public:
  ImageEngine(const model::Network& network, const Kernels& kernels, ComputePool& pool,
              const Options& options)
      : kernels_(kernels),
        pool_(pool),
        inputs_(model::count(network.input)),
        parameters_(network.parameters),
        statistics_(network.statistics),
        max_samples_(options.max_samples),
        max_parts_(options.max_parts) {}

  Result<void> setUp(const model::Network& network, std::uint64_t seed);
  void build() { arena_.build(); }

  std::uint64_t bytes() const override { return arena_.bytes(); }

  void setWeights(std::span<const float> weights, WeightsGate* gate) override;
  int maxParts() const override { return max_parts_; }
  void gradients(std::span<PartGradient> parts, float scale) override;
  Evaluation evaluate(const Batch& batch, PartState state, std::span<float> next_recurrent,
                      const Evaluation& before) override;
  void predict(const Batch& batch, PartState state, std::span<float> next_recurrent,
               std::span<float> logits) override;

 private:
  struct Stage {
    std::unique_ptr<Operation> operation;
    GraphOperation node;
    std::vector<std::size_t> input_sizes;  // values of one sample
    Extent weights;
  };

  static std::size_t layerOf(const Stage& stage) { return extent(stage.node.fused.layer); }
  float gradientOf(const Part& part, float scale, const GradientTarget& target, NextPartState next);
  void require(const Batch& batch) const;
  void requireLabels(const Batch& batch) const;
  void forwardOnly(const Batch& batch, PartState state);
  Run runOf(const Batch& batch) const;
  void takeInputs(const Batch& batch);
  void takeBlock(const Batch& batch, std::size_t block, std::size_t channel);
  std::size_t forwardByBlocks(const Run& run, const Batch& batch);
  void forward(const Run& run, const Batch& batch, LayerObserver* layers);
  void backward(const Run& run, LayerObserver* layers);
  void backward(const Run& run, const Stage& stage);
  void add(float* to, const float* values, std::size_t n);
  float* gradientOf(int value) {
    return arena_.at(gradients_.pieces.at(static_cast<std::size_t>(value)));
  }

  Kernels kernels_;
  ComputePool& pool_;  // outlives us
  std::int64_t inputs_;
  std::int64_t parameters_;
  std::int64_t statistics_;
  std::int64_t max_samples_;
  int max_parts_;
  WeightsInUse weights_;
  Arena arena_;
  Scratch scratch_{arena_};
  Value input_;
  int logits_ = 0;
  std::vector<Stage> stages_;
  GradientBuffers gradients_;
  std::optional<ImageLoss> loss_;
};

Result<void> ImageEngine::setUp(const model::Network& network, std::uint64_t seed) {
  const bool ends_with_loss =
      !network.layers.empty() &&
      std::holds_alternative<model::SoftmaxCrossEntropy>(network.layers.back().spec.kind);
  if (!ends_with_loss) {
    return Error{ErrorCode::kUnsupported,
                 "network \"" + network.name + "\" does not end with softmaxCrossEntropy"};
  }
  OperationGraph graph = operationGraph(network);
  if (graph.operations.empty()) {
    return Error{ErrorCode::kUnsupported,
                 "network \"" + network.name + "\" has no layer that computes anything"};
  }
  const std::size_t lanes = kernels_->lanes;
  const std::size_t max_blocks = (extent(max_samples_) + lanes - 1) / lanes;
  const Context context{network, kernels_, pool_, arena_, scratch_, max_blocks, seed};
  for (Value& value : graph.values) {
    const auto floats = checkedMultiply(extent(max_samples_) + lanes, value.stored());
    if (!floats || *floats > kMaxFloats) {
      return Error{ErrorCode::kUnsupported,
                   "network \"" + network.name + "\" needs more memory for " +
                       std::to_string(max_samples_) +
                       " samples than any machine has; lower spec.training.batchSize"};
    }
    value.data = context.reserve(max_blocks * value.stored() * lanes);
  }
  for (GraphOperation& node : graph.operations) {
    auto made = makeOperation(context, graph, node);
    if (!made) return made.error();
    Stage stage{std::move(*made), node, {}, weightsOf(network, context.layer(node.fused))};
    for (const int input : node.inputs)
      stage.input_sizes.push_back(graph.values.at(extent(input)).count());
    stages_.push_back(std::move(stage));
  }
  input_ = graph.values.front();
  logits_ = graph.logits;
  loss_.emplace(context, graph.values.at(extent(logits_)), network.classes);
  gradients_ = placeGradientBuffers(graph, context);
  scratch_.reserve();
  return {};
}

void ImageEngine::setWeights(std::span<const float> weights, WeightsGate* gate) {
  SUMAC_CHECK(std::ssize(weights) == parameters_, weights.size(), parameters_);
  weights_.set(weights, gate);
}

void ImageEngine::require(const Batch& batch) const {
  SUMAC_CHECK(weights_.version > 0);
  SUMAC_CHECK(batch.count >= 1 && batch.count <= max_samples_, batch.count, max_samples_);
  SUMAC_CHECK(std::ssize(batch.inputs) == batch.count * inputs_, batch.inputs.size(), batch.count,
              inputs_);
}

void ImageEngine::requireLabels(const Batch& batch) const {
  SUMAC_CHECK(std::ssize(batch.labels) == batch.count, batch.labels.size(), batch.count);
}

Run ImageEngine::runOf(const Batch& batch) const {
  Run run;
  run.images = extent(batch.count);
  run.blocks = (run.images + kernels_->lanes - 1) / kernels_->lanes;
  run.weights = weights_.values.data();
  run.weights_version = weights_.version;
  return run;
}

void ImageEngine::takeBlock(const Batch& batch, std::size_t block, std::size_t channel) {
  const std::size_t lanes = kernels_->lanes;
  kernels_->lanesFromSamples(&input_.image,
                             arena_.at(input_.data) + block * input_.stored() * lanes,
                             batch.inputs.data() + block * lanes * input_.count(),
                             std::min(lanes, extent(batch.count) - block * lanes), channel);
}

void ImageEngine::takeInputs(const Batch& batch) {
  const std::size_t blocks = (extent(batch.count) + kernels_->lanes - 1) / kernels_->lanes;
  const std::size_t channels = input_.image.channels;
  const Split split(blocks * channels, input_.pixels() * 4);
  pool_.run(split.count, [&](std::size_t task) {
    for (std::size_t i = split.begin(task); i < split.begin(task + 1); ++i)
      takeBlock(batch, i / channels, i % channels);
  });
}

// The first operations, where the blocks give every thread the same work: one wait for all of them.
// Returns how many they were.
std::size_t ImageEngine::forwardByBlocks(const Run& run, const Batch& batch) {
  const bool is_even = run.blocks % static_cast<std::size_t>(pool_.threads()) == 0;
  if (!is_even || weights_.gate != nullptr) return 0;
  std::size_t count = 0;
  while (count < stages_.size() && stages_[count].operation->isBlockwise())
    stages_[count++].operation->prepareForward(run);
  if (count == 0) return 0;
  pool_.run(run.blocks, [&](std::size_t block) {
    for (std::size_t channel = 0; channel < input_.image.channels; ++channel)
      takeBlock(batch, block, channel);
    for (std::size_t i = 0; i < count; ++i)
      stages_[i].operation->forwardBlock(run, block);
  });
  return count;
}

void ImageEngine::forward(const Run& run, const Batch& batch, LayerObserver* layers) {
  const std::size_t done = layers == nullptr ? forwardByBlocks(run, batch) : 0;
  if (done == 0) takeInputs(batch);
  for (std::size_t i = done; i < stages_.size(); ++i) {
    weights_.await(stages_[i].weights);
    stages_[i].operation->forward(run);
    if (layers != nullptr) layers->onForward(layerOf(stages_[i]));
  }
  weights_.gate = nullptr;
}

void ImageEngine::add(float* to, const float* values, std::size_t n) {
  const Split split(n / kernels_->lanes, 2);
  pool_.run(split.count, [&](std::size_t task) {
    const std::size_t first = split.begin(task) * kernels_->lanes;
    kernels_->add(to + first, to + first, values + first, split.size(task) * kernels_->lanes);
  });
}

// Gradients of a value that several operations take are summed in the order of the backward pass.
void ImageEngine::backward(const Run& run, const Stage& stage) {
  constexpr std::size_t kMaxInputs = 2;
  const std::size_t inputs = stage.node.inputs.size();
  SUMAC_CHECK(inputs <= kMaxInputs, inputs);
  std::array<float*, kMaxInputs> dx{};
  for (std::size_t i = 0; i < inputs; ++i) {
    if (stage.node.inputs[i] == 0) continue;  // the gradient of the samples is not needed
    dx.at(i) =
        stage.node.adds[i] ? arena_.at(gradients_.scratch.at(i)) : gradientOf(stage.node.inputs[i]);
  }
  stage.operation->backward(run, gradientOf(stage.node.output), std::span(dx).first(inputs));
  for (std::size_t i = 0; i < inputs; ++i) {
    if (dx.at(i) == nullptr || !stage.node.adds[i]) continue;
    add(gradientOf(stage.node.inputs[i]), dx.at(i),
        run.blocks * stage.input_sizes[i] * kernels_->lanes);
  }
}

void ImageEngine::backward(const Run& run, LayerObserver* layers) {
  for (auto stage = stages_.rbegin(); stage != stages_.rend(); ++stage) {
    backward(run, *stage);
    if (layers != nullptr) layers->onBackward(layerOf(*stage));
  }
}

// Blocks of samples are of one part: there is nothing to compute together.
void ImageEngine::gradients(std::span<PartGradient> parts, float scale) {
  SUMAC_CHECK(!parts.empty() && std::ssize(parts) <= max_parts_, parts.size(), max_parts_);
  for (PartGradient& part : parts)
    part.loss = gradientOf(part.part, scale, part.target, part.next);
}

float ImageEngine::gradientOf(const Part& part, float scale, const GradientTarget& target,
                              NextPartState next) {
  require(part.batch);
  requireLabels(part.batch);
  SUMAC_CHECK(std::ssize(target.values) == parameters_, target.values.size(), parameters_);
  SUMAC_CHECK(std::ssize(part.state.statistics) == statistics_, part.state.statistics.size(),
              statistics_);
  SUMAC_CHECK(std::ssize(next.statistics) == statistics_, next.statistics.size(), statistics_);
  Run run = runOf(part.batch);
  run.training = true;
  run.gradient = target.values.data();
  run.accumulate = target.write == Write::kAdd;
  run.observer = target.observer;
  run.step = static_cast<std::uint64_t>(part.step);
  run.first_sample = static_cast<std::uint64_t>(part.first_sample);
  run.statistics = part.state.statistics.data();
  run.next_statistics = next.statistics.data();
  forward(run, part.batch, target.layers);
  const double loss = loss_->gradient(part.batch.labels, scale, gradientOf(logits_));
  if (target.passes != nullptr) target.passes->onLoss();
  backward(run, target.layers);
  return static_cast<float>(static_cast<double>(scale) * loss);
}

void ImageEngine::forwardOnly(const Batch& batch, PartState state) {
  require(batch);
  SUMAC_CHECK(std::ssize(state.statistics) == statistics_, state.statistics.size(), statistics_);
  Run run = runOf(batch);
  run.statistics = state.statistics.data();
  forward(run, batch, /*layers=*/nullptr);
}

Evaluation ImageEngine::evaluate(const Batch& batch, PartState state,
                                 std::span<float> /*next_recurrent*/, const Evaluation& before) {
  requireLabels(batch);
  forwardOnly(batch, state);
  return loss_->evaluate(batch.labels, before);
}

void ImageEngine::predict(const Batch& batch, PartState state, std::span<float> /*next_recurrent*/,
                          std::span<float> logits) {
  forwardOnly(batch, state);
  loss_->copyLogits(extent(batch.count), logits);
}

}  // namespace

Result<std::unique_ptr<Engine>> makeEngine(const model::Network& network, const Kernels& kernels,
                                           ComputePool& pool, const Engine::Options& options) {
  auto engine = std::make_unique<ImageEngine>(network, kernels, pool, options);
  if (const auto set_up = engine->setUp(network, options.seed); !set_up) return set_up.error();
  if (!options.is_sketch) engine->build();
  return std::unique_ptr<Engine>(std::move(engine));
}

}  // namespace sumac::worker::image
