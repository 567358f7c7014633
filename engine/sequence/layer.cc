#include "engine/sequence/layer.h"

#include <string>
#include <type_traits>
#include <variant>

#include "base/core/check.h"

namespace sumac::worker::sequence {

std::size_t LayerContext::offset(std::size_t n) const {
  SUMAC_CHECK(n < layer.tensors.size(), n, layer.tensors.size());
  const auto& tensor = network.tensors.at(static_cast<std::size_t>(layer.tensors[n]));
  return static_cast<std::size_t>(tensor.offset);
}

std::int64_t LayerContext::maxRows() const {
  return max_samples * network.input.at(0);
}

std::size_t LayerContext::inputs() const {
  return static_cast<std::size_t>(layer.input.back());
}

std::size_t LayerContext::outputs() const {
  return static_cast<std::size_t>(layer.output.back());
}

Result<std::unique_ptr<Layer>> makeLayer(const LayerContext& context) {
  return std::visit(
      [&](const auto& kind) -> Result<std::unique_ptr<Layer>> {
        using Kind = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, model::Embedding>) {
          return makeEmbedding(context);
        } else if constexpr (std::is_same_v<Kind, model::Lstm>) {
          return makeLstm(context, kind.layers);
        } else if constexpr (std::is_same_v<Kind, model::Dense>) {
          return makeDense(context, kind.bias);
        } else if constexpr (std::is_same_v<Kind, model::Dropout>) {
          return makeDropout(context, kind.rate);
        } else if constexpr (std::is_same_v<Kind, model::Relu>) {
          return makeActivation(context, kSumacRelu);
        } else if constexpr (std::is_same_v<Kind, model::Tanh>) {
          return makeActivation(context, kSumacTanh);
        } else if constexpr (std::is_same_v<Kind, model::Sigmoid>) {
          return makeActivation(context, kSumacSigmoid);
        } else {
          return Error{ErrorCode::kUnsupported,
                       "layer " + context.layer.spec.name + " (" +
                           std::string(model::kindName(context.layer.spec.kind)) +
                           ") cannot be computed in a text network: use embedding, lstm, dense, "
                           "relu, tanh, sigmoid, dropout"};
        }
      },
      context.layer.spec.kind);
}

}  // namespace sumac::worker::sequence
