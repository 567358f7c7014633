#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/core/rng.h"
#include "engine/nn/engine.h"
#include "engine/sequence/sequence_engine.h"
#include "job/model/initializer.h"
#include "job/model/network.h"

namespace sumac::worker {

inline model::Network textNetwork(int vocabulary, int steps,
                                  const std::vector<model::LayerKind>& kinds) {
  model::NetworkSpec spec{"test", {steps}, {}, vocabulary};
  for (const auto& kind : kinds)
    spec.layers.push_back({"layer" + std::to_string(spec.layers.size()), kind, {}});
  return model::resolve(spec).value();
}

/// Random words for a text network, of which some occur more than once, and part state.
struct TextSamples {
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> labels;
  std::vector<float> state;
  std::int64_t count;

  TextSamples(const model::Network& network, std::int64_t samples, std::uint64_t seed)
      : tokens(static_cast<std::size_t>(samples * network.input[0])),
        labels(tokens.size()),
        state(static_cast<std::size_t>(samples * network.recurrent)),
        count(samples) {
    const Rng rng(seed, 78);
    const auto words = static_cast<std::uint64_t>(network.vocabulary());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      tokens[i] = static_cast<std::int32_t>(rng.below(2 * i, words));
      labels[i] = static_cast<std::int32_t>(rng.below(2 * i + 1, words));
    }
    for (std::size_t i = 0; i < state.size(); ++i)
      state[i] = rng.uniform(2 * tokens.size() + i) - 0.5F;
  }

  Batch batch() const { return {count, {}, tokens, labels}; }
  Part part(Step step = 1, std::int64_t first_sample = 0) const {
    return {.batch = batch(), .state = {state, {}}, .step = step, .first_sample = first_sample};
  }
};

/// What a call returns and writes.
struct TextOutcome {
  float loss = 0;
  std::vector<float> gradient;
  std::vector<float> state;

  bool operator==(const TextOutcome&) const = default;
};

/// An engine with its own threads.
class TextEngine {
 public:
  TextEngine(const model::Network& network, const Kernels& kernels, std::int64_t max_samples,
             int threads = 1, bool reuses_weights = false, int max_parts = 1)
      : pool_(std::make_unique<ComputePool>(threads)),
        engine_(sequence::makeEngine(network, kernels, *pool_,
                                     {.max_samples = max_samples,
                                      .max_parts = max_parts,
                                      .seed = 7,
                                      .reuses_weights = reuses_weights})
                    .value()) {}

  TextOutcome gradient(std::span<const float> weights, const Part& part, float scale) {
    TextOutcome outcome{0, std::vector<float>(weights.size(), 1e9F), {}};
    outcome.state.resize(part.state.recurrent.size());
    engine_->setWeights(weights);
    outcome.loss =
        engine_->gradient(part, scale, {.values = outcome.gradient}, {outcome.state, {}});
    return outcome;
  }

  Evaluation evaluate(std::span<const float> weights, const TextSamples& text,
                      std::span<float> next_state) {
    engine_->setWeights(weights);
    return engine_->evaluate(text.batch(), {text.state, {}}, next_state);
  }

  Engine& operator*() { return *engine_; }
  Engine* operator->() { return engine_.get(); }

 private:
  std::unique_ptr<ComputePool> pool_;
  std::unique_ptr<Engine> engine_;
};

inline std::vector<float> textWeights(const model::Network& network, std::uint64_t seed,
                                      double scale) {
  std::vector<float> weights(static_cast<std::size_t>(network.parameters));
  model::initialize(network, {model::InitializerKind::kUniform, scale}, seed, weights);
  return weights;
}

}  // namespace sumac::worker
