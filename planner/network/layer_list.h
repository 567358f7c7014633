#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"

namespace sumac::planner {

/// The sizes along the dimensions of space or time: {rows, columns} of an image, {planes, rows,
/// columns} of a volume, {time steps} of a sequence; empty for a vector.
using Extents = std::vector<std::int64_t>;

/// The product of the extents: 1 for a vector. Requires a product that fits (checkLayers()).
std::int64_t positions(const Extents& extents);

/// What a layer does, as far as cost models tell layers apart.
enum class LayerKind : std::uint8_t {
  kConvolution,
  kDense,  // fully connected
  kRecurrent,
  kEmbedding,
  kPool,
  kNormalization,
  kActivation,
  kOther,  // moves or adds values, or computes the loss; has no parameters
};

std::string_view toString(LayerKind kind);

/// One layer. All counts are of one sample. A value type.
struct Layer {
  std::string name;
  LayerKind kind = LayerKind::kOther;
  std::int64_t input_channels = 1;   // of a vector: its length
  std::int64_t output_channels = 1;  // the same
  Extents input_extents = {};
  Extents output_extents = {};
  Extents kernel = {};       // of convolutions and pools, as many as extents; else empty
  std::int64_t stride = 1;   // the same along all dimensions
  std::int64_t groups = 1;   // of a convolution
  std::int64_t weights = 0;  // without biases
  std::int64_t biases = 0;
  std::int64_t macs = 0;  // multiply-accumulates of the forward pass

  std::int64_t inputs() const { return input_channels * positions(input_extents); }
  std::int64_t outputs() const { return output_channels * positions(output_extents); }
  std::int64_t parameters() const { return weights + biases; }
};

/// A network as cost models see it. A value type.
struct LayerList {
  std::string name;
  std::string source;  // where the shapes come from: a document, the zoo, a publication
  std::vector<Layer> layers;

  std::int64_t parameters() const;
  std::int64_t macs() const;
};

/// The maximum of inputs, of outputs, of weights and of biases of one layer: with it their sums and
/// sizes in bytes fit into 64 bits.
inline constexpr std::int64_t kMaxLayerCount = std::int64_t{1} << 40;

/// Whether all cost models can work with the list. Fails with kInvalid and the layer's name if
/// there is no layer, or if a count is negative, an extent is below 1, or a count or sum is too
/// large.
Result<void> checkLayers(const LayerList& list);

}  // namespace sumac::planner
