#include <algorithm>
#include <array>
#include <utility>

#include "kernels/functions.h"
#include "kernels/lanes.h"

// Compiled with -ffp-contract=fast. The gradient of a dense layer's weights is a product over the
// images: inputs and output gradients are transposed to [image][value] first. Every gradient is one
// chain of additions over the images.
namespace sumac::kernels {
namespace {

using lanes::Tiles;

constexpr std::size_t kTallest = 6;
constexpr std::size_t kVectors = kLanes == 16 ? 4 : 2;
constexpr std::size_t kPanel = kVectors * kLanes;  // inputs whose values lie side by side

// `values` of one block, [value][lane], to [lane][value] with rows `to_row` apart; lanes beyond
// `images` are left out, values beyond `count` become zero.
void transposeBlock(float* to, std::size_t to_row, const float* values, std::size_t count,
                    std::size_t images) {
  Vec rows[kLanes] = {};
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLanes; ++i)
    if (i < count) rows[i] = load(values + i * kLanes);
  transpose(rows);
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLanes; ++i)
    if (i < images) store(to + i * to_row, rows[i]);
}

struct Product {
  std::size_t images;
  const float* dz;  // [image][output]
  std::size_t dz_row;
  const float* x;  // [image][kPanel]
  float* dw;
  std::size_t dw_row;
  std::size_t columns;
  bool accumulate;
};

// Row by row when the last vector is not whole.
void storeEdge(const Vec* sums, const Product& g, float* to) {
  float values[kPanel];
  for (std::size_t v = 0; v * kLanes < g.columns; ++v)
    store(values + v * kLanes, sums[v]);
  for (std::size_t i = 0; i < g.columns; ++i)
    to[i] = g.accumulate ? to[i] + values[i] : values[i];
}

template <std::size_t kOutputs, std::size_t kWide>
void multiply(const Product& g) {
  Vec sums[kOutputs][kWide] = {};
  const float* dz = g.dz;
  const float* x = g.x;
  for (std::size_t image = 0; image < g.images; ++image) {
    addProducts(
        sums, [=](std::size_t r) { return dz[r]; },
        [=](std::size_t v) { return load(x + v * kLanes); });
    dz += g.dz_row;
    x += kPanel;
  }
  const bool whole = g.columns == kWide * kLanes;
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kOutputs; ++r) {
    float* const to = g.dw + r * g.dw_row;
    if (!whole) {
      storeEdge(sums[r], g, to);
      continue;
    }
#pragma GCC unroll 8
    for (std::size_t v = 0; v < kWide; ++v) {
      float* const vector = to + v * kLanes;
      store(vector, g.accumulate ? load(vector) + sums[r][v] : sums[r][v]);
    }
  }
}

using MultiplyFunction = void (*)(const Product&);
template <std::size_t kWide, std::size_t... kOutputs>
constexpr auto multiplyFunctionsOf(std::index_sequence<kOutputs...>) {
  return std::array<MultiplyFunction, sizeof...(kOutputs)>{multiply<kOutputs + 1, kWide>...};
}
template <std::size_t... kWide>
constexpr auto multiplyFunctions(std::index_sequence<kWide...>) {
  return std::array<std::array<MultiplyFunction, kTallest>, sizeof...(kWide)>{
      multiplyFunctionsOf<kWide + 1>(std::make_index_sequence<kTallest>{})...};
}
constexpr auto kMultiply = multiplyFunctions(std::make_index_sequence<kVectors>{});

}  // namespace

size_t lanesDenseInputPanels(const SumacLanesDense* dense) {
  return (dense->inputs + kPanel - 1) / kPanel;
}

size_t lanesDenseInputPanelSize(const SumacLanesDense* dense) {
  return dense->blocks * kLanes * kPanel;
}

void lanesDenseTransposeInputs(const SumacLanesDense* dense, float* transposed, const float* x,
                               size_t panel) {
  const SumacLanesDense& s = *dense;
  float* to = transposed + panel * s.blocks * kLanes * kPanel;
  for (std::size_t block = 0; block < s.blocks; ++block) {
    const std::size_t images = std::min(kLanes, s.images - block * kLanes);
    for (std::size_t k = panel * kPanel; k < std::min(s.inputs, (panel + 1) * kPanel);
         k += kLanes) {
      transposeBlock(to + k % kPanel, kPanel, x + (block * s.inputs + k) * kLanes, s.inputs - k,
                     images);
    }
    to += kLanes * kPanel;
  }
}

void lanesDenseTransposeGradients(const SumacLanesDense* dense, float* transposed, const float* dz,
                                  size_t group) {
  const SumacLanesDense& s = *dense;
  const std::size_t width = (s.outputs + kLanes - 1) / kLanes * kLanes;
  const std::size_t first = group * kLanes;
  for (std::size_t block = 0; block < s.blocks; ++block) {
    const std::size_t images = std::min(kLanes, s.images - block * kLanes);
    transposeBlock(transposed + block * kLanes * width + first, width,
                   dz + (block * s.outputs + first) * kLanes, s.outputs - first, images);
  }
}

void lanesDenseBackwardWeights(const SumacLanesDense* dense, float* dw, const float* transposed_x,
                               const float* transposed_dz, size_t panel, int accumulate) {
  const SumacLanesDense& s = *dense;
  const std::size_t first = panel * kPanel;
  const std::size_t columns = std::min(kPanel, s.inputs - first);
  const auto& functions = kMultiply[(columns + kLanes - 1) / kLanes - 1];
  const Tiles tiles(s.outputs, kTallest);
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    const std::size_t output = tiles.begin(tile);
    functions[tiles.size(tile) - 1]({.images = s.images,
                                     .dz = transposed_dz + output,
                                     .dz_row = (s.outputs + kLanes - 1) / kLanes * kLanes,
                                     .x = transposed_x + panel * s.blocks * kLanes * kPanel,
                                     .dw = dw + output * s.inputs + first,
                                     .dw_row = s.inputs,
                                     .columns = columns,
                                     .accumulate = accumulate != 0});
  }
}

// From the gradient of what a dense layer stored to that of its sums, in place, and the bias'
// gradient.
void lanesDenseActivationBackward(const SumacLanesDense* dense, float* dy, const float* y,
                                  float* dbias, size_t group, int accumulate) {
  const SumacLanesDense& s = *dense;
  const std::size_t first = group * kLanes;
  const std::size_t end = std::min(s.outputs, first + kLanes);
  for (std::size_t block = 0; block < s.blocks; ++block) {
    const std::size_t at = (block * s.outputs + first) * kLanes;
    activateBackward(s.activation, dy + at, dy + at, y + at, (end - first) * kLanes);
  }
  if (dbias == nullptr) return;
  for (std::size_t output = first; output < end; ++output) {
    Vec sum{};
    for (std::size_t block = 0; block < s.blocks; ++block)
      sum += load(dy + (block * s.outputs + output) * kLanes);
    const float total = lanes::sumOfLanes(sum);
    dbias[output] = accumulate != 0 ? dbias[output] + total : total;
  }
}

}  // namespace sumac::kernels
