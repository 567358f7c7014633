#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "common/base/result.h"
#include "common/model/network.h"

namespace sumac::model::internal {

/// The number of values, or nothing beyond kMaxCount.
std::optional<std::int64_t> boundedCount(const Shape& shape);

/// Where a layer stands.
struct Place {
  bool is_first = false;
  bool is_text = false;         // the network begins with an embedding
  std::int64_t vocabulary = 0;  // of a text network
};

/// What one layer makes of its input.
struct LayerShape {
  Shape output;
  std::vector<Tensor> tensors = {};  // named without the layer, not placed yet
  std::int64_t macs = 0;
  std::int64_t recurrent = 0;   // values of state of one sample
  std::int64_t statistics = 0;  // values of state of one part
};

/// Pure: a layer alone, by its kind, input and place. Sets what `kind` leaves to its input: a
/// pool's stride, the outputs of a dense layer that gives a value for each word. Fails with
/// kInvalid and what is wrong, without the layer's name. Requires an input whose count is bounded,
/// and no residual: that is several layers.
Result<LayerShape> shapeOf(LayerKind& kind, const Shape& input, const Place& place);

}  // namespace sumac::model::internal
