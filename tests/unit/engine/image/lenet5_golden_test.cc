#include <cmath>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/nn/engine.h"
#include "engine/optimizer/optimizer.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/image/samples.h"

// What PyTorch computed: tests/golden/lenet5_golden.py, whose constants these are.
namespace sumac::worker::lenet5_golden_test {
namespace {

constexpr std::size_t kSamples = 2;
constexpr Step kSteps = 4;

float valueOf(std::size_t i, std::size_t salt) {
  return static_cast<float>((i * 40503 + salt * 7919) % 65536) / 32768.0F - 1.0F;
}

std::map<std::string, double> readGolden() {
  std::ifstream file(std::string(SUMAC_GOLDEN_FOLDER) + "/lenet5_golden.txt");
  std::map<std::string, double> golden;
  std::string name;
  for (double value = 0; file >> name >> value;)
    golden[name] = value;
  return golden;
}

// Relative to 1e-4, and for values near zero to the size of the others.
void checkClose(double found, double expected, double size, const std::string& name) {
  BOOST_CHECK_MESSAGE(std::abs(found - expected) <= 1e-4 * std::abs(expected) + 1e-6 * size,
                      name << " is " << found << ", expected " << expected);
}

void checkValues(const std::map<std::string, double>& golden, const std::string& name,
                 const std::vector<float>& values, double size) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto entry = golden.find(name + std::to_string(i));
    if (entry == golden.end()) continue;
    ++found;
    checkClose(static_cast<double>(values[i]), entry->second, size, entry->first);
  }
  BOOST_TEST(found > 50U);
}

void checkNorms(const std::map<std::string, double>& golden, const model::Network& network,
                const Kernels& kernels, const std::vector<float>& gradient) {
  for (std::size_t i = 0; i < network.tensors.size(); ++i) {
    const model::Tensor& tensor = network.tensors[i];
    const double norm = std::sqrt(kernels->sumOfSquares(gradient.data() + tensor.offset,
                                                        static_cast<std::size_t>(tensor.count())));
    checkClose(norm, golden.at("norm" + std::to_string(i)), 0, tensor.name);
  }
}

void checkTraining(const std::map<std::string, double>& golden, const Kernels& kernels) {
  const auto network = lenet5();
  Samples samples(network, kSamples, 1);
  for (std::size_t i = 0; i < samples.inputs.size(); ++i)
    samples.inputs[i] = valueOf(i, 2);
  samples.labels = {1, 4};
  std::vector<float> weights(static_cast<std::size_t>(network.parameters));
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = 0.125F * valueOf(i, 1);

  Optimizer::Options options;
  options.optimizer.learning_rate = 0.05;
  options.optimizer.momentum = 0.9;
  Optimizer optimizer(options, kernels, network.parameters);
  TestEngine engine(network, kernels, kSamples);
  std::vector<float> gradient(weights.size());
  for (Step step = 1; step <= kSteps; ++step) {
    const float loss = engine.gradient(weights, samples.batch(), 1.0F / kSamples, gradient);
    const std::string name = "loss" + std::to_string(step);
    checkClose(static_cast<double>(loss), golden.at(name), 0, name);
    if (step == 1) {
      checkNorms(golden, network, kernels, gradient);
      checkValues(golden, "gradient", gradient, 1e-2);
    }
    optimizer.apply(step, gradient, weights, weights);
  }
  checkValues(golden, "weight", weights, 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(lenet5_golden)

BOOST_AUTO_TEST_CASE(losses_gradients_and_weights_of_four_steps_are_those_of_pytorch) {
  const auto golden = readGolden();
  BOOST_REQUIRE(!golden.empty());
  for (const Kernels& kernels : everyVariant()) {
    BOOST_TEST_CONTEXT("kernels " << toString(kernels.variant())) {
      checkTraining(golden, kernels);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::lenet5_golden_test
