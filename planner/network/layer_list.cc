#include "planner/network/layer_list.h"

#include <algorithm>
#include <initializer_list>
#include <optional>

#include "base/core/checked.h"

namespace sumac::planner {
namespace {

/// channels times extents; nothing if one is below 1 or the product is above kMaxLayerCount.
std::optional<std::int64_t> boundedValues(std::int64_t channels, const Extents& extents) {
  if (channels < 1 || channels > kMaxLayerCount) return std::nullopt;
  std::int64_t product = channels;
  for (const std::int64_t extent : extents) {
    if (extent < 1) return std::nullopt;
    const auto next = checkedMultiply(product, extent);
    if (!next || *next > kMaxLayerCount) return std::nullopt;
    product = *next;
  }
  return product;
}

bool isCount(std::int64_t count) {
  return count >= 0 && count <= kMaxLayerCount;
}

/// What is wrong with a layer; empty: nothing.
std::string problemOf(const Layer& layer) {
  if (!boundedValues(layer.input_channels, layer.input_extents)) {
    return "its input's channels and extents must be >= 1, at most 2^40 values together";
  }
  if (!boundedValues(layer.output_channels, layer.output_extents)) {
    return "its output's channels and extents must be >= 1, at most 2^40 values together";
  }
  if (!boundedValues(1, layer.kernel)) return "its kernel's extents must be >= 1";
  if (layer.stride < 1 || layer.groups < 1) return "its stride and groups must be >= 1";
  if (layer.stride > kMaxLayerCount) return "its stride must be at most 2^40";
  if (!isCount(layer.weights) || !isCount(layer.biases)) {
    return "its weights and biases must be >= 0 and at most 2^40";
  }
  if (layer.macs < 0) return "its multiply-accumulates must be >= 0";
  return "";
}

}  // namespace

std::int64_t positions(const Extents& extents) {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents)
    product *= extent;
  return product;
}

std::string_view toString(LayerKind kind) {
  switch (kind) {
    case LayerKind::kConvolution: return "convolution";
    case LayerKind::kDense: return "dense";
    case LayerKind::kRecurrent: return "recurrent";
    case LayerKind::kEmbedding: return "embedding";
    case LayerKind::kPool: return "pool";
    case LayerKind::kNormalization: return "normalization";
    case LayerKind::kActivation: return "activation";
    case LayerKind::kOther: return "other";
  }
  return "unknown";
}

std::int64_t LayerList::parameters() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers)
    sum += layer.parameters();
  return sum;
}

std::int64_t LayerList::macs() const {
  std::int64_t sum = 0;
  for (const Layer& layer : layers)
    sum += layer.macs;
  return sum;
}

Result<void> checkLayers(const LayerList& list) {
  const auto fail = [&](const std::string& reason) {
    return Error{ErrorCode::kInvalid, "network " + list.name + ": " + reason};
  };
  if (list.layers.empty()) return fail("it has no layer");
  std::optional<std::int64_t> macs = 0;
  std::optional<std::int64_t> values = 0;
  for (const Layer& layer : list.layers) {
    const std::string problem = problemOf(layer);
    if (!problem.empty()) return fail("layer " + layer.name + ": " + problem);
    macs = checkedAdd(*macs, layer.macs);
    // The bounds above: each of these is far below 2^63.
    values = checkedAdd(*values, layer.inputs() + layer.outputs() + layer.parameters());
    if (!macs || !values) {
      return fail("up to layer " + layer.name +
                  ", the sum of its multiply-accumulates or of its values exceeds 64 bits");
    }
  }
  return {};
}

}  // namespace sumac::planner
