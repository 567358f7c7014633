#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/nn/engine.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/image/samples.h"

// What PyTorch computed: tests/golden/layers_golden.py, whose networks and constants these are.
namespace sumac::worker::layers_golden_test {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace): every kind of layer

constexpr std::size_t kSamples = 5;

float valueOf(std::size_t i, std::size_t salt) {
  return static_cast<float>((i * 40503 + salt * 7919) % 65536) / 32768.0F - 1.0F;
}

std::map<std::string, double> readGolden() {
  std::ifstream file(std::string(SUMAC_GOLDEN_FOLDER) + "/layers_golden.txt");
  std::map<std::string, double> golden;
  std::string name;
  for (double value = 0; file >> name >> value;)
    golden[name] = value;
  return golden;
}

void checkClose(double found, const std::map<std::string, double>& golden,
                const std::string& name) {
  const auto entry = golden.find(name);
  if (entry == golden.end()) return;
  BOOST_CHECK_MESSAGE(std::abs(found - entry->second) <= 1e-4 * std::abs(entry->second) + 1e-6,
                      name << " is " << found << ", expected " << entry->second);
}

void checkNetwork(const std::string& name, const Network& network) {
  const auto golden = readGolden();
  BOOST_REQUIRE(golden.count(name + ".loss") == 1);
  Samples samples(network, kSamples, 1);
  for (std::size_t i = 0; i < samples.inputs.size(); ++i)
    samples.inputs[i] = valueOf(i, 2);
  for (std::size_t i = 0; i < kSamples; ++i)
    samples.labels[i] = static_cast<std::int32_t>((2 * i + 1) % 3);
  std::vector<float> weights(static_cast<std::size_t>(network.parameters));
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = 0.25F * valueOf(i, 1);

  for (const Kernels& kernels : everyVariant()) {
    BOOST_TEST_CONTEXT("kernels " << toString(kernels.variant())) {
      TestEngine engine(network, kernels, kSamples);
      std::vector<float> gradient(weights.size());
      const float loss = engine.gradient(weights, samples.batch(), 1.0F / kSamples, gradient);
      checkClose(static_cast<double>(loss), golden, name + ".loss");
      for (std::size_t i = 0; i < gradient.size(); ++i)
        checkClose(static_cast<double>(gradient[i]), golden,
                   name + ".gradient" + std::to_string(i));
      for (std::size_t i = 0; i < engine.next_statistics.size(); ++i) {
        checkClose(static_cast<double>(engine.next_statistics[i]), golden,
                   name + ".statistic" + std::to_string(i));
      }
      engine.statistics = engine.next_statistics;
      checkClose(engine.evaluate(weights, samples.batch()).loss_sum, golden, name + ".evaluation");
    }
  }
}

Residual residualOf(std::vector<LayerSpec> layers, std::vector<LayerSpec> shortcut = {}) {
  nameLayers(layers);
  nameLayers(shortcut);
  return {std::move(layers), std::move(shortcut)};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(layers_golden)

BOOST_AUTO_TEST_CASE(strides_groups_and_pooling_beyond_the_image_are_as_in_pytorch) {
  checkNetwork("strides",
               networkOf({4, 9, 8},
                         {Conv2d{.outputs = 6, .kernel = 3, .stride = 2, .padding = 1, .groups = 2},
                          Tanh{}, Conv2d{.outputs = 8, .kernel = 2, .padding = 1, .bias = false},
                          Sigmoid{}, MaxPool{.kernel = 3, .stride = 2, .padding = 1, .ceil = true},
                          Flatten{}, Dense{3}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(averages_are_as_in_pytorch) {
  checkNetwork(
      "averages",
      networkOf({3, 10, 11}, {Conv2d{.outputs = 5, .kernel = 5, .padding = 2},
                              MaxPool{.kernel = 3, .stride = 2, .ceil = true}, Relu{},
                              Conv2d{.outputs = 4, .kernel = 3, .padding = 1}, Relu{},
                              AveragePool{.kernel = 3, .stride = 2, .padding = 1, .ceil = true},
                              GlobalAveragePool{}, Dense{3}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(residuals_and_batch_norm_are_as_in_pytorch) {
  const Conv2d same{.outputs = 4, .kernel = 3, .padding = 1, .bias = false};
  const Conv2d half{.outputs = 6, .kernel = 3, .stride = 2, .padding = 1};
  const Conv2d project{.outputs = 6, .kernel = 1, .stride = 2};
  const auto inner = residualOf({{{}, same, {}},
                                 {{}, BatchNorm{}, {}},
                                 {{}, Relu{}, {}},
                                 {{}, same, {}},
                                 {{}, BatchNorm{}, {}}});
  checkNetwork("residuals",
               networkOf({3, 8, 8}, {same, BatchNorm{}, Relu{}, inner, Relu{},
                                     residualOf({{{}, half, {}}}, {{{}, project, {}}}), Tanh{},
                                     MaxPool{2}, Flatten{}, Dense{7}, BatchNorm{}, Sigmoid{},
                                     Dense{3}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::layers_golden_test
