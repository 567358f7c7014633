#include "tests/unit/worker/nn/rows/text_reference.h"

#include <cmath>
#include <variant>

#include <Eigen/Dense>

#include "common/base/rng.h"
#include "worker/nn/dropout.h"

namespace sumac::worker {
namespace {

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

}  // namespace

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

}  // namespace sumac::worker
