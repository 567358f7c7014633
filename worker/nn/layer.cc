#include "worker/nn/layer.h"

#include <type_traits>
#include <variant>

#include "common/base/check.h"
#include "worker/nn/layers.h"

namespace sumac::worker {

std::int64_t LayerContext::offset(std::size_t n) const {
  SUMAC_CHECK(n < layer.tensors.size(), n, layer.tensors.size());
  return network.tensors.at(static_cast<std::size_t>(layer.tensors[n])).offset;
}

Result<std::unique_ptr<LayerEngine>> makeLayerEngine(const LayerContext& context) {
  return std::visit(
      [&](const auto& kind) -> Result<std::unique_ptr<LayerEngine>> {
        using Kind = std::decay_t<decltype(kind)>;
        if constexpr (std::is_same_v<Kind, model::Conv2d>) {
          return makeConv2d(context, kind);
        } else if constexpr (std::is_same_v<Kind, model::MaxPool>) {
          return makeMaxPool(context, kind);
        } else if constexpr (std::is_same_v<Kind, model::Relu>) {
          return makeRelu(context);
        } else if constexpr (std::is_same_v<Kind, model::Dense>) {
          return makeDense(context);
        } else if constexpr (std::is_same_v<Kind, model::Flatten>) {
          return std::unique_ptr<LayerEngine>();
        } else {
          return Error{ErrorCode::kUnsupported,
                       "layer \"" + context.layer.spec.name +
                           "\": " + std::string(model::kindName(context.layer.spec.kind)) +
                           " can only be the last layer"};
        }
      },
      context.layer.spec.kind);
}

}  // namespace sumac::worker
