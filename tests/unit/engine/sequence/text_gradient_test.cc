#include <cmath>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include <Eigen/Dense>
#include <boost/test/unit_test.hpp>

#include "base/core/rng.h"
#include "engine/nn/dropout.h"
#include "engine/nn/engine.h"
#include "job/model/network.h"
#include "tests/support/kernel_variants.h"
#include "tests/unit/engine/sequence/text_samples.h"

namespace sumac::worker::text_gradient_test {
namespace {

/// What a text network is held against: fp64, sample by sample, by loops that are the definitions.
struct TextReference {
  double loss = 0;            // sum over samples and time steps
  std::vector<double> state;  // recurrent, after the last step
};

using Eigen::MatrixXd;  // a column for each time step
using Weights =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
using Bias = Eigen::Map<const Eigen::VectorXd>;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

auto sigmoid(const auto& x) {
  return (1.0 + (-x.array()).exp()).inverse();
}

// One sample.
struct Evaluator {
  const model::Network& network;
  const std::vector<double>& weights;
  std::span<double> state;
  std::uint64_t seed;
  Step step;
  std::int64_t sample;
  bool is_training;

  const double* tensor(const model::Layer& layer, std::size_t n) const {
    return weights.data() + network.tensors[at(layer.tensors[n])].offset;
  }

  Weights weight(const model::Layer& layer, std::size_t n, std::int64_t inputs) const {
    const auto count = network.tensors[at(layer.tensors[n])].count();
    return {tensor(layer, n), count / inputs, inputs};
  }
  Bias bias(const model::Layer& layer, std::size_t n) const {
    return {tensor(layer, n), network.tensors[at(layer.tensors[n])].count()};
  }

  MatrixXd of(const model::Layer& layer, const model::Dense& dense, const MatrixXd& x) const {
    MatrixXd y = weight(layer, 0, x.rows()) * x;
    if (dense.bias) y.colwise() += bias(layer, 1);
    return y;
  }

  // Gates in the order input, forget, output, candidate.
  MatrixXd of(const model::Layer& layer, const model::Lstm& lstm, MatrixXd x) const {
    const Eigen::Index units = lstm.outputs;
    double* own_state = state.data() + layer.recurrent.offset;
    for (std::size_t l = 0; l < at(lstm.layers); ++l, own_state += 2 * units) {
      Eigen::Map<Eigen::VectorXd> h(own_state, units);
      Eigen::Map<Eigen::VectorXd> c(own_state + units, units);
      MatrixXd gates = weight(layer, 3 * l, x.rows()) * x;
      gates.colwise() += bias(layer, 3 * l + 2);
      x.resize(units, x.cols());
      for (Eigen::Index t = 0; t < x.cols(); ++t) {
        gates.col(t) += weight(layer, 3 * l + 1, units) * h;
        const auto gate = [&](Eigen::Index which) {
          return gates.col(t).segment(which * units, units);
        };
        c = sigmoid(gate(1)) * c.array() + sigmoid(gate(0)) * gate(3).array().tanh();
        h = sigmoid(gate(2)) * c.array().tanh();
        x.col(t) = h;
      }
    }
    return x;
  }

  MatrixXd of(const model::Layer& layer, const model::Dropout& dropout, MatrixXd x) const {
    if (!is_training) return x;
    const int index = static_cast<int>(&layer - network.layers.data());
    const SumacDropout how = dropoutOf(dropout, seed, static_cast<std::uint64_t>(step), index);
    const Rng rng(how.key, static_cast<std::uint64_t>(sample));
    std::uint64_t value = 0;
    for (double& v : x.reshaped())
      v = (rng.bits(value++) >> 8U) < how.threshold ? 0.0 : v / (1.0 - dropout.rate);
    return x;
  }

  static MatrixXd of(const model::Layer& /*layer*/, const model::Relu& /*kind*/,
                     const MatrixXd& x) {
    return x.cwiseMax(0.0);
  }
  static MatrixXd of(const model::Layer& /*layer*/, const model::Tanh& /*kind*/,
                     const MatrixXd& x) {
    return x.array().tanh();
  }
  static MatrixXd of(const model::Layer& /*layer*/, const model::Sigmoid& /*kind*/,
                     const MatrixXd& x) {
    return sigmoid(x);
  }
  template <typename Kind>
  static MatrixXd of(const model::Layer& /*layer*/, const Kind& /*kind*/, const MatrixXd& x) {
    return x;
  }

  double loss(std::span<const std::int32_t> tokens, std::span<const std::int32_t> labels) const {
    const model::Layer& embedding = network.layers[0];
    const auto rows = weight(embedding, 0, embedding.output[1]);
    MatrixXd x(rows.cols(), std::ssize(tokens));
    for (std::size_t t = 0; t < tokens.size(); ++t)
      x.col(static_cast<Eigen::Index>(t)) = rows.row(tokens[t]);
    for (const model::Layer& layer : network.layers)
      x = std::visit([&](const auto& kind) { return of(layer, kind, x); }, layer.spec.kind);
    double total = 0;
    for (Eigen::Index t = 0; t < x.cols(); ++t)
      total += std::log((x.col(t).array() - x(labels[at(t)], t)).exp().sum());
    return total;
  }
};

/// `seed` is dropout's; nothing is dropped without `is_training`.
TextReference textReference(const model::Network& network, const std::vector<double>& weights,
                            const Part& part, std::uint64_t seed, bool is_training) {
  TextReference reference;
  reference.state.assign(part.state.recurrent.begin(), part.state.recurrent.end());
  const auto steps = at(network.input[0]);
  for (std::size_t sample = 0; sample < at(part.batch.count); ++sample) {
    const Evaluator evaluator{
        network,
        weights,
        std::span(reference.state).subspan(sample * at(network.recurrent), at(network.recurrent)),
        seed,
        part.step,
        part.first_sample + static_cast<std::int64_t>(sample),
        is_training};
    reference.loss += evaluator.loss(part.batch.tokens.subspan(sample * steps, steps),
                                     part.batch.labels.subspan(sample * steps, steps));
  }
  return reference;
}

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
