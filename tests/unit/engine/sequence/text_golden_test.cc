#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/optimizer/optimizer.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/sequence/text_samples.h"

// What PyTorch computed: tests/golden/text_golden.py, whose constants these are.
namespace sumac::worker::text_golden_test {
namespace {

constexpr int kVocabulary = 53;
constexpr int kUnits = 17;
constexpr int kLayers = 2;
constexpr std::int64_t kSamples = 3;
constexpr int kTime = 7;
constexpr Step kSteps = 4;

using Golden = std::map<std::string, double>;

float valueOf(std::size_t i, std::size_t salt) {
  return static_cast<float>((i * 40503 + salt * 7919) % 65536) / 32768.0F - 1.0F;
}

std::vector<std::int32_t> wordsOf(Step salt) {
  std::vector<std::int32_t> words;
  for (std::int64_t i = 0; i < kSamples * kTime; ++i)
    words.push_back(static_cast<std::int32_t>((i * 7919 + salt * 104729) % 1009 % kVocabulary));
  return words;
}

Golden readGolden() {
  std::ifstream file(std::string(SUMAC_GOLDEN_FOLDER) + "/text_golden.txt");
  Golden golden;
  std::string name;
  for (double value = 0; file >> name >> value;)
    golden[name] = value;
  return golden;
}

void checkClose(const Golden& golden, const std::string& name, double found) {
  const double expected = golden.at(name);
  BOOST_CHECK_MESSAGE(std::abs(found - expected) <= 1e-4 * std::abs(expected) + 2e-6,
                      name << " is " << found << ", expected " << expected);
}

void checkValues(const Golden& golden, const std::string& prefix,
                 const std::vector<float>& values) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string name = prefix + std::to_string(i);
    if (golden.count(name) == 0) continue;
    ++found;
    checkClose(golden, name, static_cast<double>(values[i]));
  }
  BOOST_TEST(found > 50U);
}

void checkState(const Golden& golden, const std::vector<float>& state) {
  std::size_t at = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    for (int layer = 0; layer < kLayers; ++layer) {
      for (const char name : {'h', 'c'}) {
        double sum = 0;
        for (int unit = 0; unit < kUnits; ++unit)
          sum += static_cast<double>(state[at++]);
        checkClose(golden, "state" + std::to_string(sample) + '.' + std::to_string(layer) + name,
                   sum);
      }
    }
  }
}

void checkTraining(const Golden& golden, const Kernels& kernels) {
  const auto network =
      textNetwork(kVocabulary, kTime,
                  {model::Embedding{12}, model::Lstm{.outputs = kUnits, .layers = kLayers},
                   model::Dense{}, model::SoftmaxCrossEntropy{}});
  std::vector<float> weights(static_cast<std::size_t>(network.parameters));
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = 0.4F * valueOf(i, 1);
  Optimizer::Options options;
  options.optimizer.learning_rate = 0.5;
  options.optimizer.momentum = 0;
  options.clip_global_norm = 0.4;
  Optimizer optimizer(options, kernels, network.parameters);

  TextEngine engine(network, kernels, kSamples);
  std::vector<float> state(static_cast<std::size_t>(kSamples * network.recurrent));
  for (Step step = 1; step <= kSteps; ++step) {
    const auto tokens = wordsOf(2 * step);
    const auto labels = wordsOf(2 * step + 1);
    const Part part{.batch = {kSamples, {}, tokens, labels}, .state = {state, {}}, .step = step};
    const TextOutcome found = engine.gradient(weights, part, 1.0F / kSamples);
    state = found.state;
    const std::string number = std::to_string(step);
    checkClose(golden, "loss" + number, static_cast<double>(found.loss));
    const auto update = optimizer.apply(step, found.gradient, weights, weights);
    checkClose(golden, "norm" + number, update.gradient_norm);
    if (step == 1 || step == kSteps) checkValues(golden, "gradient" + number + '.', found.gradient);
  }
  checkValues(golden, "weight", weights);
  checkState(golden, state);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(text_golden)

BOOST_AUTO_TEST_CASE(losses_gradients_state_and_weights_of_four_steps_are_those_of_pytorch) {
  const auto golden = readGolden();
  BOOST_REQUIRE(!golden.empty());
  for (const Kernels& kernels : everyVariant()) {
    BOOST_TEST_CONTEXT("kernels " << toString(kernels.variant())) {
      checkTraining(golden, kernels);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::text_golden_test
