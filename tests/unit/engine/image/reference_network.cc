#include "tests/unit/engine/image/reference_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include <Eigen/Dense>

#include "base/core/rng.h"

namespace sumac::worker {
namespace {

using Values = std::vector<double>;
using Samples = Eigen::MatrixXd;  // a column for each sample
using Weights =
    Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// One layer, of all samples.
struct Evaluator {
  const model::Network& network;
  const Values& weights;
  const ReferencePass& pass;
  std::size_t index;
  const model::Layer& layer;

  const double* tensor(std::size_t n) const {
    return weights.data() + network.tensors[at(layer.tensors[n])].offset;
  }
  bool has(std::size_t n) const { return n < layer.tensors.size(); }

  /// y = function(x) of every sample.
  template <typename Function>
  Samples each(const Samples& x, const Function& function) const {
    Samples y(model::count(layer.output), x.cols());
    for (Eigen::Index s = 0; s < x.cols(); ++s) {
      const Values values = function(Values(x.col(s).begin(), x.col(s).end()));
      y.col(s) = Eigen::Map<const Eigen::VectorXd>(values.data(), y.rows());
    }
    return y;
  }

  Samples operator()(const model::Conv2d& conv, const Samples& x) const {
    return each(x, [&](const Values& sample) { return convolve(conv, sample); });
  }

  Values convolve(const model::Conv2d& conv, const Values& x) const {
    const auto& in = layer.input;
    const auto& out = layer.output;
    const std::int64_t inputs = in[0] / conv.groups;
    Values y;
    for (std::int64_t o = 0; o < out[0]; ++o) {
      const std::int64_t first = o / (out[0] / conv.groups) * inputs;
      for (std::int64_t r = 0; r < out[1]; ++r) {
        for (std::int64_t c = 0; c < out[2]; ++c) {
          double sum = has(1) ? tensor(1)[o] : 0.0;
          for (std::int64_t i = 0; i < inputs; ++i) {
            for (std::int64_t kr = 0; kr < conv.kernel; ++kr) {
              for (std::int64_t kc = 0; kc < conv.kernel; ++kc) {
                const std::int64_t row = r * conv.stride + kr - conv.padding;
                const std::int64_t column = c * conv.stride + kc - conv.padding;
                if (row < 0 || column < 0 || row >= in[1] || column >= in[2]) continue;
                sum += tensor(0)[((o * inputs + i) * conv.kernel + kr) * conv.kernel + kc] *
                       x[at(((first + i) * in[1] + row) * in[2] + column)];
              }
            }
          }
          y.push_back(sum);
        }
      }
    }
    return y;
  }

  /// Every window's values inside the image, and its pixels with the padding.
  template <typename Spec, typename Function>
  Values windows(const Spec& pool, const Values& x, const Function& function) const {
    const auto& in = layer.input;
    const auto& out = layer.output;
    Values y;
    for (std::int64_t i = 0; i < out[0]; ++i) {
      for (std::int64_t r = 0; r < out[1]; ++r) {
        for (std::int64_t c = 0; c < out[2]; ++c) {
          Values inside;
          double pixels = 0;
          for (std::int64_t row = r * pool.stride - pool.padding;
               row < std::min(r * pool.stride - pool.padding + pool.kernel, in[1] + pool.padding);
               ++row) {
            for (std::int64_t column = c * pool.stride - pool.padding;
                 column <
                 std::min(c * pool.stride - pool.padding + pool.kernel, in[2] + pool.padding);
                 ++column) {
              ++pixels;
              if (row < 0 || column < 0 || row >= in[1] || column >= in[2]) continue;
              inside.push_back(x[at((i * in[1] + row) * in[2] + column)]);
            }
          }
          y.push_back(function(inside, pixels));
        }
      }
    }
    return y;
  }

  static double sumOf(const Values& values) {
    double sum = 0;
    for (const double value : values)
      sum += value;
    return sum;
  }

  Samples operator()(const model::MaxPool& pool, const Samples& x) const {
    return each(x, [&](const Values& sample) {
      return windows(pool, sample, [](const Values& window, double /*pixels*/) {
        return *std::max_element(window.begin(), window.end());
      });
    });
  }
  Samples operator()(const model::AveragePool& pool, const Samples& x) const {
    return each(x, [&](const Values& sample) {
      return windows(pool, sample,
                     [](const Values& window, double pixels) { return sumOf(window) / pixels; });
    });
  }
  Samples operator()(const model::GlobalAveragePool& /*pool*/, const Samples& x) const {
    const std::int64_t pixels = layer.input[1] * layer.input[2];
    return x.reshaped(pixels, x.size() / pixels)
        .colwise()
        .mean()
        .reshaped(x.rows() / pixels, x.cols());
  }

  Samples operator()(const model::Dense& /*dense*/, const Samples& x) const {
    Samples y = Weights(tensor(0), layer.output[0], x.rows()) * x;
    if (has(1)) y.colwise() += Eigen::Map<const Eigen::VectorXd>(tensor(1), y.rows());
    return y;
  }

  Samples operator()(const model::Relu& /*relu*/, const Samples& x) const {
    return x.cwiseMax(0.0);
  }
  Samples operator()(const model::Tanh& /*tanh*/, const Samples& x) const {
    return x.array().tanh();
  }
  Samples operator()(const model::Sigmoid& /*sigmoid*/, const Samples& x) const {
    return (1.0 + (-x.array()).exp()).inverse();
  }

  Samples operator()(const model::Dropout& dropout, const Samples& x) const {
    if (!pass.training) return x;
    const auto key = Rng(pass.seed, kDropoutStream + index).block(pass.step);
    Samples y = x;
    for (Eigen::Index s = 0; s < y.cols(); ++s) {
      const Rng rng((std::uint64_t{key[0]} << 32U) | key[1],
                    pass.first_sample + static_cast<std::uint64_t>(s));
      std::uint64_t i = 0;
      for (double& value : y.col(s)) {
        const bool drops = static_cast<double>(rng.uniform(i++)) < dropout.rate;
        value = drops ? 0.0 : value / (1.0 - dropout.rate);
      }
    }
    return y;
  }

  Samples operator()(const model::BatchNorm& norm, const Samples& x) const {
    const Eigen::Index channels = layer.input[0];
    const Eigen::Index pixels = x.rows() / channels;
    Samples y = x;
    for (Eigen::Index c = 0; c < channels; ++c) {
      auto values = y.middleRows(c * pixels, pixels).array();
      double mean = 0;
      double variance = 0;
      if (pass.training) {
        mean = values.mean();
        variance = (values - mean).square().mean();
      } else {
        mean = static_cast<double>(pass.statistics[at(layer.statistics.offset + c)]);
        variance = static_cast<double>(pass.statistics[at(layer.statistics.offset + channels + c)]);
      }
      values = (values - mean) / std::sqrt(variance + norm.epsilon) * tensor(0)[c] + tensor(1)[c];
    }
    return y;
  }

  template <typename Kind>
  Samples operator()(const Kind& /*kind*/, const Samples& x) const {
    return x;
  }
};

}  // namespace

double referenceLoss(const model::Network& network, const std::vector<double>& weights,
                     std::span<const float> inputs, std::span<const std::int32_t> labels,
                     const ReferencePass& pass) {
  const Samples input = Eigen::Map<const Eigen::MatrixXf>(
                            inputs.data(), model::count(network.input), std::ssize(labels))
                            .cast<double>();
  std::vector<Samples> outputs;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const model::Layer& layer = network.layers[i];
    const auto before = [&](std::size_t n) -> const Samples& {
      return layer.from.at(n) < 0 ? input : outputs.at(at(layer.from.at(n)));
    };
    Samples x = before(0);
    if (layer.from.size() == 2) x += before(1);
    const Evaluator evaluator{network, weights, pass, i, layer};
    outputs.push_back(std::visit([&](const auto& kind) -> Samples { return evaluator(kind, x); },
                                 layer.spec.kind));
  }
  const Samples& logits = outputs.back();
  double loss = 0;
  for (Eigen::Index i = 0; i < logits.cols(); ++i)
    loss += std::log((logits.col(i).array() - logits(labels[at(i)], i)).exp().sum());
  return loss;
}

}  // namespace sumac::worker
