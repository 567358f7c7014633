#include "engine/nn/weights_in_use.h"

#include "base/core/check.h"

namespace sumac::worker {

Extent weightsOf(const model::Network& network, const model::Layer& layer) {
  Extent all;
  for (const int index : layer.tensors) {
    const model::Tensor& tensor = network.tensors.at(static_cast<std::size_t>(index));
    const auto offset = static_cast<std::size_t>(tensor.offset);
    if (all.count == 0) all.first = offset;
    SUMAC_CHECK(offset == all.first + all.count, offset, all.first, all.count);
    all.count += static_cast<std::size_t>(tensor.count());
  }
  return all;
}

}  // namespace sumac::worker
