#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/core/result.h"
#include "job/model/network.h"

namespace sumac::model::internal {

/// The number of values; nothing if it is more than kMaxCount.
std::optional<std::int64_t> boundedCount(const Shape& shape);

/// Where a layer is in its network.
struct Place {
  bool is_first = false;
  bool is_text = false;         // the network begins with an embedding
  std::int64_t vocabulary = 0;  // of a text network
};

/// What a layer gives for an input of known shape.
struct LayerShape {
  Shape output;
  std::vector<Tensor> tensors = {};  // named without the layer, offsets not set yet
  std::int64_t macs = 0;
  std::int64_t recurrent = 0;   // values of state of one sample
  std::int64_t statistics = 0;  // values of state of one part
};

/// The shapes of one layer. A pure function of its kind, input and place. Also sets what `kind`
/// derives from its input: a pool's stride, the outputs of a dense layer that gives a value for
/// each word. Fails with kInvalid; the message does not name the layer. Requires an input of at
/// most kMaxCount values, and not a residual, which is several layers.
Result<LayerShape> shapeOf(LayerKind& kind, const Shape& input, const Place& place);

}  // namespace sumac::model::internal
