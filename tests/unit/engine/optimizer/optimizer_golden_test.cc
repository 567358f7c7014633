#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "engine/optimizer/optimizer.h"
#include "tests/support/kernel_variants.h"

namespace sumac::worker::optimizer_golden_test {
namespace {

constexpr int kParameters = 7;
constexpr Step kSteps = 10;

/// As in optimizers_golden.py, exact in fp32.
float value(std::int64_t i, std::int64_t salt) {
  return static_cast<float>((i * 40503 + salt * 7919) % 65536) / 32768.0F - 1.0F;
}

/// Weights after every step, by the name of the case.
std::map<std::string, std::vector<std::vector<float>>> golden() {
  std::ifstream file(SUMAC_GOLDEN_FOLDER "/optimizers_golden.txt");
  std::map<std::string, std::vector<std::vector<float>>> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string name;
    Step step = 0;
    words >> name >> step;
    auto& weights = cases[name].emplace_back(kParameters);
    for (float& weight : weights)
      words >> weight;
    BOOST_REQUIRE(words);
    BOOST_REQUIRE(std::ssize(cases[name]) == step);
  }
  return cases;
}

Optimizer::Options sgd(double momentum = 0, double decay = 0) {
  Optimizer::Options options;
  options.optimizer.learning_rate = 0.1;
  options.optimizer.momentum = momentum;
  options.optimizer.weight_decay = decay;
  return options;
}

Optimizer::Options nesterov(double decay = 0) {
  Optimizer::Options options = sgd(0.9, decay);
  options.optimizer.name = job::OptimizerName::kNesterov;
  return options;
}

Optimizer::Options adam() {
  Optimizer::Options options;
  options.optimizer.name = job::OptimizerName::kAdam;
  options.optimizer.learning_rate = 0.01;
  return options;
}

Optimizer::Options otherAdam() {
  Optimizer::Options options = adam();
  options.optimizer.beta1 = 0.8;
  options.optimizer.beta2 = 0.99;
  options.optimizer.epsilon = 1e-3;
  options.optimizer.weight_decay = 0.25;
  return options;
}

Optimizer::Options byValue(Optimizer::Options options) {
  options.clip_value = 0.75;
  return options;
}

Optimizer::Options byNorm(Optimizer::Options options) {
  options.clip_global_norm = 1.5;
  return options;
}

std::map<std::string, Optimizer::Options> cases() {
  return {{"sgd", sgd()},
          {"sgd-decay", sgd(0, 0.25)},
          {"momentum", sgd(0.9)},
          {"momentum-decay-value", byValue(sgd(0.9, 0.25))},
          {"momentum-norm", byNorm(sgd(0.9))},
          {"nesterov", nesterov()},
          {"nesterov-decay-norm", byNorm(nesterov(0.25))},
          {"adam", adam()},
          {"adam-decay-value", byValue(otherAdam())}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(optimizer_golden)

BOOST_AUTO_TEST_CASE(follows_pytorch_over_ten_steps_in_every_variant) {
  const auto expected = golden();
  BOOST_TEST(expected.size() == cases().size());
  for (const auto& [name, options] : cases()) {
    for (const Kernels& kernels : everyVariant()) {
      Optimizer optimizer(options, kernels, kParameters);
      std::vector<float> weights(kParameters);
      for (int i = 0; i < kParameters; ++i)
        weights[static_cast<std::size_t>(i)] = 0.5F * value(i, 1);
      for (Step step = 1; step <= kSteps; ++step) {
        std::vector<float> gradient(kParameters);
        for (int i = 0; i < kParameters; ++i)
          gradient[static_cast<std::size_t>(i)] = 2.0F * value(i, 2 + step);
        optimizer.apply(step, gradient, weights, weights);
        const auto& truth = expected.at(name).at(static_cast<std::size_t>(step - 1));
        for (std::size_t i = 0; i < truth.size(); ++i) {
          BOOST_TEST(std::abs(weights[i] - truth[i]) <= 2e-6F,
                     name << " step " << step << " weight " << i << ": " << weights[i] << " is not "
                          << truth[i]);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::optimizer_golden_test
