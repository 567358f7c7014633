#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "common/base/rng.h"
#include "common/model/initializer.h"
#include "common/model/network.h"
#include "worker/nn/engine.h"

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

  Batch batch() const { return {inputs, labels}; }
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
