#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/core/file.h"
#include "engine/checkpoint/file_tensors.h"
#include "engine/checkpoint/safetensors.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/sequence/text_samples.h"

// A file of PyTorch's own tensors, and what PyTorch computes with them:
// tests/golden/lstm_file_golden.py, whose constants these are.
namespace sumac::worker::lstm_file_golden_test {
namespace {

constexpr int kVocabulary = 11;
constexpr int kUnits = 6;
constexpr int kLayers = 2;
constexpr std::int64_t kSamples = 3;
constexpr int kTime = 4;
constexpr Step kSteps = 3;

using Golden = std::map<std::string, double>;

const std::string kFiles = std::string(SUMAC_GOLDEN_FOLDER) + "/lstm_file_golden";

Golden readGolden() {
  std::ifstream file(kFiles + ".txt");
  Golden golden;
  std::string name;
  for (double value = 0; file >> name >> value;)
    golden[name] = value;
  return golden;
}

void checkClose(const Golden& golden, const std::string& name, float found) {
  const double expected = golden.at(name);
  BOOST_CHECK_MESSAGE(
      std::abs(static_cast<double>(found) - expected) <= 1e-5 * std::abs(expected) + 1e-6,
      name << " is " << found << ", expected " << expected);
}

std::vector<std::int32_t> wordsOf(Step salt) {
  std::vector<std::int32_t> words;
  for (std::int64_t i = 0; i < kSamples * kTime; ++i)
    words.push_back(static_cast<std::int32_t>((i * 7919 + salt * 104729) % 1009 % kVocabulary));
  return words;
}

model::Network network() {
  model::NetworkSpec spec{"golden", {kTime}, {}, kVocabulary};
  for (const model::LayerKind& kind :
       {model::LayerKind(model::Embedding{5}), model::LayerKind(model::Lstm{kUnits, kLayers}),
        model::LayerKind(model::Dense{}), model::LayerKind(model::SoftmaxCrossEntropy{})})
    spec.layers.push_back({{}, kind, {}});
  model::nameLayers(spec.layers);
  return model::resolve(spec).value();
}

std::vector<float> weightsOfPyTorch(const model::Network& network) {
  const auto file = readFile(kFiles + ".safetensors", 1 << 20);
  BOOST_REQUIRE(file.has_value());
  const auto decoded = checkpoint::decodeSafetensors(checkpoint::fileTensors(network), *file);
  const std::string why = decoded ? "" : decoded.error().message;
  BOOST_REQUIRE_MESSAGE(decoded.has_value(), why);
  return checkpoint::fromFile(network, decoded->values);
}

/// A sample's state: h of the first layer, its c, h of the second, its c.
void checkState(const Golden& golden, const std::vector<float>& state) {
  std::size_t at = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    for (int layer = 0; layer < kLayers; ++layer) {
      for (const char name : {'h', 'c'}) {
        for (int unit = 0; unit < kUnits; ++unit) {
          checkClose(golden,
                     name + std::to_string(sample) + '.' + std::to_string(layer) + '.' +
                         std::to_string(unit),
                     state[at++]);
        }
      }
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(lstm_file_golden)

BOOST_AUTO_TEST_CASE(tensors_of_pytorch_compute_here_what_they_compute_there) {
  const Golden golden = readGolden();
  BOOST_REQUIRE(!golden.empty());
  const model::Network net = network();
  const std::vector<float> weights = weightsOfPyTorch(net);
  for (const Kernels& kernels : everyVariant()) {
    BOOST_TEST_CONTEXT("kernels " << toString(kernels.variant())) {
      TextEngine engine(net, kernels, kSamples);
      std::vector<float> state(static_cast<std::size_t>(kSamples * net.recurrent));
      for (Step step = 1; step <= kSteps; ++step) {
        const auto tokens = wordsOf(2 * step);
        const auto labels = wordsOf(2 * step + 1);
        const Part part{
            .batch = {kSamples, {}, tokens, labels}, .state = {state, {}}, .step = step};
        const TextOutcome found = engine.gradient(weights, part, 1.0F / kSamples);
        state = found.state;
        checkClose(golden, "loss" + std::to_string(step), found.loss);
      }
      checkState(golden, state);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::lstm_file_golden_test
