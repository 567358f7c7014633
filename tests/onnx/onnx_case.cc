// sumac_onnx_case NETWORK FOLDER [--normalized]
//
// Gives a network (of the zoo, or of a TrainingJob's file) random weights, and writes to FOLDER the
// model as training would, random raw inputs, and what our engine computes of them, all as plain
// little-endian values; describes them as JSON on standard output. With --normalized the model's
// inputs are normalized by channel.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/core/file.h"
#include "base/core/rng.h"
#include "engine/make/make_engine.h"
#include "engine/model_file/model_file.h"
#include "engine/onnx/export.h"
#include "job/document/job.h"
#include "job/document/network_of.h"
#include "job/model/initializer.h"
#include "kernels/kernels.h"

namespace sumac {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSamples = 3;    // whose outputs are compared
constexpr std::int64_t kMeasured = 16;  // whose statistics batchNorm gets
constexpr float kWhite = 255;           // becomes 1
constexpr int kWords = 50;              // of a text network whose job does not say it

template <typename T>
T orThrow(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return *std::move(result);
}

model::NetworkSpec networkNamed(const std::string& name) {
  const auto spec = model::fromZoo(name);
  if (spec) return *spec;
  const auto reading = job::readJob(orThrow(readTextFile(name, 1U << 20U)), name, {}, false);
  if (!reading.job) throw std::runtime_error(job::problemList(reading.problems));
  auto own = orThrow(job::networkSpecOf(*reading.job));
  if (own.isText()) own.vocabulary = kWords;
  return own;
}

std::size_t sizeOf(std::int64_t count) {
  return static_cast<std::size_t>(count);
}

/// Values from -1 to 1.
std::vector<float> random(std::int64_t count, std::uint64_t stream) {
  const Rng rng(1, stream);
  std::vector<float> values(sizeOf(count));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = rng.uniform(i) * 2.0F - 1.0F;
  return values;
}

void multiply(const model::Network& network, const model::Layer& layer, float factor,
              std::vector<float>& weights) {
  for (const int index : layer.tensors) {
    const model::Tensor& tensor = network.tensors.at(sizeOf(index));
    for (std::int64_t i = tensor.offset; i < tensor.offset + tensor.count(); ++i)
      weights[sizeOf(i)] *= factor;
  }
}

/// Makes what is compared depend on the samples, and not on roundings. Weights before a sigmoid,
/// whose slope is at most 1/4, grow: else all samples look alike behind seven of them. What a
/// residual adds shrinks, as in the usual first weights of such networks (Goyal et al. 2017, 5.1):
/// else ResNet-152 makes of one rounding of its inputs 3e-4 of its logits, and every program's
/// logits are that far from the exact ones.
void condition(const model::Network& network, std::vector<float>& weights) {
  constexpr float kSigmoidGain = 4;
  constexpr float kResidualGain = 0.2F;
  for (const model::Layer& layer : network.layers) {
    const int from = layer.from.front();
    if (from < 0) continue;
    const model::Layer& before = network.layers.at(sizeOf(from));
    if (std::holds_alternative<model::Sigmoid>(layer.spec.kind))
      multiply(network, before, kSigmoidGain, weights);
    if (std::holds_alternative<model::Add>(layer.spec.kind))
      multiply(network, before, kResidualGain, weights);
  }
}

/// Of the size that keeps values alive through many layers; biases and scales differ, too.
std::vector<float> weightsOf(const model::Network& network) {
  std::vector<float> weights(sizeOf(network.parameters));
  model::initialize(network, {model::InitializerKind::kHe, 1.0}, 1, weights);
  const auto noise = random(network.parameters, 2);
  for (const model::Tensor& tensor : network.tensors) {
    if (!tensor.is_bias && !tensor.is_scale) continue;
    for (std::int64_t i = tensor.offset; i < tensor.offset + tensor.count(); ++i)
      weights[sizeOf(i)] += noise[sizeOf(i)] * (tensor.is_scale ? 0.5F : 0.1F);
  }
  condition(network, weights);
  return weights;
}

/// Pixels, and what the network gets of them.
struct Inputs {
  std::vector<float> raw;
  std::vector<float> scaled;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> labels;

  worker::Batch batch(std::int64_t count) const { return {count, scaled, tokens, labels}; }
};

Inputs inputsOf(const model::Network& network, std::int64_t samples,
                const worker::Normalization& normalization) {
  const Rng rng(1, 3);
  const auto each = model::count(network.input);
  const auto count = sizeOf(samples * each);
  Inputs inputs;
  inputs.labels.resize(network.isText() ? count : sizeOf(samples));
  if (network.isText()) {
    for (std::size_t i = 0; i < count; ++i)
      inputs.tokens.push_back(
          static_cast<std::int32_t>(rng.below(i, static_cast<std::uint64_t>(network.classes))));
    return inputs;
  }
  const auto inner = sizeOf(each / network.input.front());
  for (std::size_t i = 0; i < count; ++i) {
    inputs.raw.push_back(static_cast<float>(rng.below(i, 256)));
    float value = inputs.raw.back() / kWhite;
    const std::size_t channel = i / inner % sizeOf(network.input.front());
    if (!normalization.mean.empty())
      value = (value - normalization.mean[channel]) / normalization.deviation[channel];
    inputs.scaled.push_back(value);
  }
  return inputs;
}

/// An engine with its threads.
class Computation {
 public:
  Computation(const model::Network& network, const std::vector<float>& weights,
              std::int64_t samples)
      : engine_(orThrow(worker::makeEngine(network, kernels_, pool_, {.max_samples = samples}))) {
    engine_->setWeights(weights);
  }
  worker::Engine& engine() { return *engine_; }

 private:
  worker::ComputePool pool_{2};
  Kernels kernels_ = orThrow(Kernels::loadBest({}));
  std::unique_ptr<worker::Engine> engine_;
};

/// The statistics of one batch: those of untrained layers would let values grow without bound.
std::vector<float> statisticsOf(model::Network network, const std::vector<float>& weights,
                                const worker::Normalization& normalization) {
  std::vector<float> before(sizeOf(network.statistics), 1.0F);
  if (before.empty()) return before;
  for (model::Layer& layer : network.layers) {
    if (auto* const norm = std::get_if<model::BatchNorm>(&layer.spec.kind)) norm->momentum = 1;
  }
  const Inputs inputs = inputsOf(network, kMeasured, normalization);
  std::vector<float> gradient(weights.size());
  std::vector<float> after(before.size());
  Computation(network, weights, kMeasured)
      .engine()
      .gradient(
          {.batch = inputs.batch(kMeasured), .state = {.recurrent = {}, .statistics = before}},
          1.0F, {.values = gradient}, {.recurrent = {}, .statistics = after});
  return after;
}

template <typename T>
void write(const fs::path& file, const std::vector<T>& values) {
  const auto done = replaceFile(file, std::as_bytes(std::span(values)));
  if (!done) throw std::runtime_error(done.error().message);
}

/// By the kernel that trains: its gradient of the logits is the probabilities, less one of the
/// label.
std::vector<float> probabilitiesOf(std::vector<float> logits, std::size_t classes) {
  const std::size_t rows = logits.size() / classes;
  const std::vector<std::int32_t> labels(rows);
  std::vector<float> losses(rows);
  orThrow(Kernels::loadBest({}))
      ->softmaxCrossEntropy(losses.data(), logits.data(), logits.data(), labels.data(), classes,
                            rows, 1.0F);
  for (std::size_t row = 0; row < rows; ++row)
    logits[row * classes] += 1.0F;
  return logits;
}

nlohmann::json descriptionOf(const model::Network& network) {
  nlohmann::json json = {{"samples", kSamples},
                         {"input", network.input},
                         {"inputName", onnx::inputName(network)},
                         {"classes", network.classes},
                         {"parameters", network.parameters},
                         {"state", network.recurrent},
                         {"lstms", nlohmann::json::array()}};
  for (const model::Layer& layer : network.layers) {
    const auto* const lstm = std::get_if<model::Lstm>(&layer.spec.kind);
    if (lstm == nullptr) continue;
    json["lstms"].push_back({{"name", layer.spec.name},
                             {"offset", layer.recurrent.offset},
                             {"layers", lstm->layers},
                             {"outputs", lstm->outputs}});
  }
  return json;
}

void writeCase(const std::string& name, const fs::path& folder, bool is_normalized) {
  const model::NetworkSpec spec = networkNamed(name);
  const model::Network network = orThrow(model::resolve(spec));
  worker::Normalization normalization;
  if (is_normalized) {
    for (std::int64_t i = 0; i < network.input.front(); ++i) {
      normalization.mean.push_back(0.4F + 0.05F * static_cast<float>(i));
      normalization.deviation.push_back(0.2F + 0.03F * static_cast<float>(i));
    }
  }
  const auto weights = weightsOf(network);
  const auto statistics = statisticsOf(network, weights, normalization);
  const Inputs inputs = inputsOf(network, kSamples, normalization);
  const auto state = random(kSamples * network.recurrent, 4);
  std::vector<float> next(state.size());
  const std::int64_t rows = network.isText() ? std::ssize(inputs.tokens) : kSamples;
  std::vector<float> logits(sizeOf(rows * network.classes));
  Computation(network, weights, kSamples)
      .engine()
      .predict(inputs.batch(kSamples), {.recurrent = state, .statistics = statistics}, next,
               logits);

  worker::ModelDescription description;
  description.spec = spec;
  description.task = network.isText() ? worker::ModelTask::kText : worker::ModelTask::kImages;
  description.classes = network.isText() ? 0 : network.classes;
  description.normalization = normalization;
  write(folder / "model.safetensors",
        worker::encodeModelFile(description, network, weights, statistics));
  write(folder / "raw", inputs.raw);
  write(folder / "tokens", inputs.tokens);
  write(folder / "state", state);
  write(folder / "next", next);
  write(folder / "logits", logits);
  write(folder / "probabilities", probabilitiesOf(logits, sizeOf(network.classes)));
  std::cout << descriptionOf(network).dump() << std::endl;
}

}  // namespace
}  // namespace sumac

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool is_normalized = words.size() == 3 && words[2] == "--normalized";
  if (words.size() != 2 && !is_normalized) {
    std::cerr << "usage: sumac_onnx_case NETWORK FOLDER [--normalized]" << std::endl;
    return 2;
  }
  try {
    sumac::writeCase(words[0], words[1], is_normalized);
  } catch (const std::exception& failure) {
    std::cerr << "error: " << failure.what() << std::endl;
    return 1;
  }
  return 0;
}
