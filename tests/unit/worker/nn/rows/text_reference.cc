#include "tests/unit/worker/nn/rows/text_reference.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "common/base/rng.h"
#include "worker/nn/dropout.h"

namespace sumac::worker {
namespace {

using Row = std::vector<double>;
using Sequence = std::vector<Row>;  // a row for each time step

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
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

  static Row times(const double* matrix, std::size_t outputs, const Row& x) {
    Row y(outputs);
    for (double& sum : y) {
      for (const double value : x)
        sum += *matrix++ * value;
    }
    return y;
  }

  Sequence of(const model::Layer& layer, const model::Dense& dense, const Sequence& x) const {
    Sequence y;
    for (const Row& row : x) {
      y.push_back(times(tensor(layer, 0), at(dense.outputs), row));
      for (std::size_t i = 0; dense.bias && i < y.back().size(); ++i)
        y.back()[i] += tensor(layer, 1)[i];
    }
    return y;
  }

  Sequence of(const model::Layer& layer, const model::Lstm& lstm, Sequence x) const {
    const std::size_t units = at(lstm.outputs);
    for (std::size_t l = 0; l < at(lstm.layers); ++l) {
      double* const begin = state.data() + layer.recurrent.offset + 2 * l * units;
      Row h(begin, begin + units);
      Row c(begin + units, begin + 2 * units);
      for (Row& row : x) {
        const Row inputs = times(tensor(layer, 3 * l), 4 * units, row);
        const Row recurrent = times(tensor(layer, 3 * l + 1), 4 * units, h);
        const auto gate = [&](std::size_t which, std::size_t unit) {
          const std::size_t i = which * units + unit;
          return inputs[i] + recurrent[i] + tensor(layer, 3 * l + 2)[i];
        };
        for (std::size_t u = 0; u < units; ++u) {
          c[u] = sigmoid(gate(1, u)) * c[u] + sigmoid(gate(0, u)) * std::tanh(gate(3, u));
          h[u] = sigmoid(gate(2, u)) * std::tanh(c[u]);
        }
        row = h;
      }
      std::copy(h.begin(), h.end(), begin);
      std::copy(c.begin(), c.end(), begin + units);
    }
    return x;
  }

  Sequence of(const model::Layer& layer, const model::Dropout& dropout, Sequence x) const {
    if (!is_training) return x;
    const int index = static_cast<int>(&layer - network.layers.data());
    const SumacDropout how = dropoutOf(dropout, seed, static_cast<std::uint64_t>(step), index);
    const Rng rng(how.key, static_cast<std::uint64_t>(sample));
    std::uint64_t value = 0;
    for (Row& row : x) {
      for (double& v : row)
        v = (rng.bits(value++) >> 8U) < how.threshold ? 0.0 : v / (1.0 - dropout.rate);
    }
    return x;
  }

  template <typename Function>
  static Sequence map(Sequence x, Function function) {
    for (Row& row : x)
      std::transform(row.begin(), row.end(), row.begin(), function);
    return x;
  }
  static Sequence of(const model::Layer& /*layer*/, const model::Relu& /*kind*/, Sequence x) {
    return map(std::move(x), [](double v) { return std::max(v, 0.0); });
  }
  static Sequence of(const model::Layer& /*layer*/, const model::Tanh& /*kind*/, Sequence x) {
    return map(std::move(x), [](double v) { return std::tanh(v); });
  }
  static Sequence of(const model::Layer& /*layer*/, const model::Sigmoid& /*kind*/, Sequence x) {
    return map(std::move(x), sigmoid);
  }
  template <typename Kind>
  static Sequence of(const model::Layer& /*layer*/, const Kind& /*kind*/, Sequence x) {
    return x;
  }

  double loss(std::span<const std::int32_t> tokens, std::span<const std::int32_t> labels) const {
    const auto width = network.layers[0].output[1];
    Sequence x;
    for (const std::int32_t token : tokens) {
      const double* const row = tensor(network.layers[0], 0) + token * width;
      x.emplace_back(row, row + width);
    }
    for (const model::Layer& layer : network.layers)
      x = std::visit([&](const auto& kind) { return of(layer, kind, x); }, layer.spec.kind);
    double total = 0;
    for (std::size_t t = 0; t < x.size(); ++t) {
      double sum = 0;
      for (const double logit : x[t])
        sum += std::exp(logit - x[t][at(labels[t])]);
      total += std::log(sum);
    }
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
