#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/core/rng.h"
#include "engine/image/image_engine.h"
#include "engine/nn/engine.h"
#include "job/model/initializer.h"
#include "job/model/network.h"

namespace sumac::worker {

/// Random samples for a network.
struct Samples {
  std::vector<float> inputs;
  std::vector<std::int32_t> labels;

  Samples(const model::Network& network, std::size_t count, std::uint64_t seed)
      : inputs(count * static_cast<std::size_t>(model::count(network.input))), labels(count) {
    const Rng rng(seed, 77);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      inputs[i] = rng.uniform(i) * 2.0F - 1.0F;
    for (std::size_t i = 0; i < count; ++i) {
      labels[i] = static_cast<std::int32_t>(
          rng.below(inputs.size() + i, static_cast<std::uint64_t>(network.classes)));
    }
  }

  Batch batch() const { return {std::ssize(labels), inputs, {}, labels}; }
};

/// An engine with its own threads. Statistics begin as a job's do; each gradient() reads those and
/// leaves the new ones in `next_statistics`.
class TestEngine {
 public:
  TestEngine(const model::Network& network, const Kernels& kernels, std::int64_t max_samples,
             int threads = 1)
      : statistics(static_cast<std::size_t>(network.statistics)),
        next_statistics(statistics.size()),
        pool_(std::make_unique<ComputePool>(threads)),
        engine_(image::makeEngine(network, kernels, *pool_, {.max_samples = max_samples, .seed = 1})
                    .value()) {
    for (const model::Layer& layer : network.layers) {
      const std::int64_t half = layer.statistics.count / 2;
      std::fill_n(statistics.begin() + layer.statistics.offset + half, half, 1.0F);
    }
  }

  float gradient(std::span<const float> weights, const Batch& batch, float scale,
                 std::span<float> out, Write write = Write::kReplace) {
    return gradientOfPart(weights, Part{.batch = batch, .state = {}}, scale, out, write);
  }
  /// The part's state is set here.
  float gradientOfPart(std::span<const float> weights, Part part, float scale, std::span<float> out,
                       Write write = Write::kReplace) {
    part.state = {.recurrent = {}, .statistics = statistics};
    engine_->setWeights(weights);
    return engine_->gradient(part, scale, {.values = out, .write = write},
                             {.recurrent = {}, .statistics = next_statistics});
  }
  Evaluation evaluate(std::span<const float> weights, const Batch& batch) {
    engine_->setWeights(weights);
    return engine_->evaluate(batch, {.recurrent = {}, .statistics = statistics}, {});
  }

  Engine& operator*() { return *engine_; }

  std::vector<float> statistics;
  std::vector<float> next_statistics;

 private:
  std::unique_ptr<ComputePool> pool_;
  std::unique_ptr<Engine> engine_;
};

inline model::Network networkOf(model::Shape input, std::vector<model::LayerKind> kinds) {
  model::NetworkSpec spec{"test", std::move(input), {}};
  for (const auto& kind : kinds) {
    spec.layers.push_back({"layer" + std::to_string(spec.layers.size()), kind, {}});
  }
  return model::resolve(spec).value();
}

inline model::Network lenet5() {
  return model::resolve(model::fromZoo("lenet5").value()).value();
}

/// Weights and biases, none of them zero.
inline std::vector<float> randomWeights(const model::Network& network, std::uint64_t seed) {
  std::vector<float> weights(static_cast<std::size_t>(network.parameters));
  model::initialize(network, {model::InitializerKind::kUniform, 0.3}, seed, weights);
  return weights;
}

}  // namespace sumac::worker
