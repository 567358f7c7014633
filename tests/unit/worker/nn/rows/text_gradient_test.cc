#include <cmath>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "tests/support/kernel_variants.h"
#include "tests/unit/worker/nn/rows/text_reference.h"
#include "tests/unit/worker/nn/rows/text_samples.h"

namespace sumac::worker::text_gradient_test {
namespace {

using model::Dense;
using model::Dropout;
using model::Embedding;
using model::Lstm;
using model::Relu;
using model::Sigmoid;
using model::SoftmaxCrossEntropy;
using model::Tanh;

constexpr std::uint64_t kSeed = 7;  // TextEngine's

// The engine's loss, gradient and state against the fp64 reference and its central differences,
// every parameter, in every variant.
void checkTextGradient(const model::Network& network) {
  constexpr float kScale = 0.25F;
  constexpr double kStep = 1e-6;
  const TextSamples text(network, 3, 5);
  const Part part = text.part(/*step=*/3, /*first_sample=*/2);
  const auto weights = textWeights(network, 9, 0.5);
  std::vector<double> exact(weights.begin(), weights.end());
  std::vector<double> expected(weights.size());
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double w = exact[i];
    exact[i] = w + kStep;
    const double above = textReference(network, exact, part, kSeed, true).loss;
    exact[i] = w - kStep;
    const double below = textReference(network, exact, part, kSeed, true).loss;
    exact[i] = w;
    expected[i] = static_cast<double>(kScale) * (above - below) / (2 * kStep);
  }
  const TextReference reference = textReference(network, exact, part, kSeed, true);

  for (const Kernels& kernels : everyVariant()) {
    BOOST_TEST_CONTEXT("kernels " << toString(kernels.variant())) {
      TextEngine engine(network, kernels, 4);
      const TextOutcome found = engine.gradient(weights, part, kScale);
      BOOST_TEST(static_cast<double>(found.loss) == static_cast<double>(kScale) * reference.loss,
                 boost::test_tools::tolerance(1e-5));
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const double error = std::abs(static_cast<double>(found.gradient[i]) - expected[i]);
        BOOST_REQUIRE_MESSAGE(
            error < 2e-5 * (1.0 + std::abs(expected[i])),
            "parameter " << i << " is " << found.gradient[i] << ", expected " << expected[i]);
      }
      for (std::size_t i = 0; i < found.state.size(); ++i)
        BOOST_REQUIRE_SMALL(static_cast<double>(found.state[i]) - reference.state[i], 2e-6);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(text_gradient)

BOOST_AUTO_TEST_CASE(of_an_embedding_and_a_dense_layer_agrees) {
  checkTextGradient(textNetwork(7, 4, {Embedding{3}, Dense{.outputs = 7}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_dense_layers_without_bias_and_of_activations_agrees) {
  checkTextGradient(
      textNetwork(11, 3,
                  {Embedding{5}, Dense{.outputs = 18, .bias = false}, Tanh{}, Dense{.outputs = 17},
                   Sigmoid{}, Dense{.outputs = 9}, Relu{}, Dense{}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_an_lstm_agrees) {
  for (const int units : {1, 3, 16, 21}) {
    checkTextGradient(
        textNetwork(6, 5, {Embedding{4}, Lstm{.outputs = units}, Dense{}, SoftmaxCrossEntropy{}}));
  }
}

BOOST_AUTO_TEST_CASE(of_an_lstm_of_several_layers_agrees) {
  for (const int layers : {2, 3}) {
    checkTextGradient(textNetwork(
        5, 4,
        {Embedding{3}, Lstm{.outputs = 6, .layers = layers}, Dense{}, SoftmaxCrossEntropy{}}));
  }
}

BOOST_AUTO_TEST_CASE(of_two_lstms_with_dropout_agrees) {
  checkTextGradient(
      textNetwork(5, 4,
                  {Embedding{6}, Dropout{0.4}, Lstm{.outputs = 5}, Dropout{0.25},
                   Lstm{.outputs = 7, .layers = 2}, Dropout{0.5}, Dense{}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(of_one_time_step_agrees) {
  checkTextGradient(
      textNetwork(5, 1, {Embedding{3}, Lstm{.outputs = 4}, Dense{}, SoftmaxCrossEntropy{}}));
}

BOOST_AUTO_TEST_CASE(evaluation_drops_nothing_and_carries_the_state) {
  const auto network = textNetwork(9, 6,
                                   {Embedding{5}, Lstm{.outputs = 8, .layers = 2}, Dropout{0.5},
                                    Dense{}, SoftmaxCrossEntropy{}});
  const TextSamples text(network, 4, 6);
  const auto weights = textWeights(network, 3, 0.8);
  const std::vector<double> exact(weights.begin(), weights.end());
  const TextReference reference = textReference(network, exact, text.part(), kSeed, false);
  for (const Kernels& kernels : everyVariant()) {
    TextEngine engine(network, kernels, 5);
    std::vector<float> state(text.state.size());
    const Evaluation found = engine.evaluate(weights, text, state);
    BOOST_TEST(found.loss_sum == reference.loss, boost::test_tools::tolerance(1e-6));
    for (std::size_t i = 0; i < state.size(); ++i)
      BOOST_REQUIRE_SMALL(static_cast<double>(state[i]) - reference.state[i], 2e-6);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace sumac::worker::text_gradient_test
