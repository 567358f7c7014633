#include "tests/unit/worker/nn/reference_network.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

namespace sumac::worker {
namespace {

using Values = std::vector<double>;

std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

struct Evaluator {
  const model::Network& network;
  const Values& weights;

  const double* tensor(const model::Layer& layer, std::size_t n) const {
    return weights.data() + network.tensors[at(layer.tensors[n])].offset;
  }

  Values conv2d(const model::Layer& layer, const model::Conv2d& conv, const Values& x) const {
    const auto& in = layer.input;
    const auto& out = layer.output;
    const double* const w = tensor(layer, 0);
    Values y;
    for (std::int64_t o = 0; o < out[0]; ++o) {
      for (std::int64_t r = 0; r < out[1]; ++r) {
        for (std::int64_t c = 0; c < out[2]; ++c) {
          double sum = tensor(layer, 1)[o];
          for (std::int64_t i = 0; i < in[0]; ++i) {
            for (std::int64_t kr = 0; kr < conv.kernel; ++kr) {
              for (std::int64_t kc = 0; kc < conv.kernel; ++kc) {
                const std::int64_t row = r * conv.stride + kr - conv.padding;
                const std::int64_t column = c * conv.stride + kc - conv.padding;
                if (row < 0 || column < 0 || row >= in[1] || column >= in[2]) continue;
                sum += w[((o * in[0] + i) * conv.kernel + kr) * conv.kernel + kc] *
                       x[at((i * in[1] + row) * in[2] + column)];
              }
            }
          }
          y.push_back(sum);
        }
      }
    }
    return y;
  }

  Values maxPool(const model::Layer& layer, const model::MaxPool& pool, const Values& x) const {
    const auto& in = layer.input;
    const auto& out = layer.output;
    Values y;
    for (std::int64_t i = 0; i < out[0]; ++i) {
      for (std::int64_t r = 0; r < out[1]; ++r) {
        for (std::int64_t c = 0; c < out[2]; ++c) {
          double best = -std::numeric_limits<double>::infinity();
          for (std::int64_t kr = 0; kr < pool.kernel; ++kr) {
            for (std::int64_t kc = 0; kc < pool.kernel; ++kc) {
              best = std::max(
                  best, x[at((i * in[1] + r * pool.stride + kr) * in[2] + c * pool.stride + kc)]);
            }
          }
          y.push_back(best);
        }
      }
    }
    return y;
  }

  Values dense(const model::Layer& layer, const Values& x) const {
    const double* w = tensor(layer, 0);
    Values y(tensor(layer, 1), tensor(layer, 1) + layer.output[0]);
    for (double& sum : y) {
      for (const double value : x)
        sum += *w++ * value;
    }
    return y;
  }

  Values forward(const model::Layer& layer, const Values& x) const {
    return std::visit(
        [&](const auto& kind) -> Values {
          using Kind = std::decay_t<decltype(kind)>;
          if constexpr (std::is_same_v<Kind, model::Conv2d>) {
            return conv2d(layer, kind, x);
          } else if constexpr (std::is_same_v<Kind, model::MaxPool>) {
            return maxPool(layer, kind, x);
          } else if constexpr (std::is_same_v<Kind, model::Dense>) {
            return dense(layer, x);
          } else if constexpr (std::is_same_v<Kind, model::Relu>) {
            Values y = x;
            for (double& value : y)
              value = std::max(value, 0.0);
            return y;
          } else {
            return x;
          }
        },
        layer.spec.kind);
  }
};

double crossEntropy(const Values& logits, std::int32_t label) {
  double sum = 0;
  for (const double logit : logits)
    sum += std::exp(logit - logits[at(label)]);
  return std::log(sum);
}

}  // namespace

double referenceLoss(const model::Network& network, const std::vector<double>& weights,
                     std::span<const float> inputs, std::span<const std::int32_t> labels) {
  const Evaluator evaluator{network, weights};
  const std::size_t values = at(model::count(network.input));
  double loss = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto sample = inputs.subspan(i * values, values);
    Values x(sample.begin(), sample.end());
    for (const model::Layer& layer : network.layers)
      x = evaluator.forward(layer, x);
    loss += crossEntropy(x, labels[i]);
  }
  return loss;
}

}  // namespace sumac::worker
