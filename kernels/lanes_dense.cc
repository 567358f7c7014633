#include <algorithm>
#include <array>
#include <utility>

#include "kernels/functions.h"
#include "kernels/lanes.h"
#include "kernels/vector_math.h"

// Compiled with -ffp-contract=fast. Every value is one chain of additions over the inputs (or, of
// input gradients, over the outputs), then the bias.
namespace sumac::kernels {
namespace {

using lanes::Tiles;

constexpr std::size_t kPanel = kLanes == 16 ? 16 : 8;  // outputs whose weights lie side by side

// A product of `depth` steps: weights[step * w_step + r] times x[block][step].
struct Product {
  std::size_t depth;
  const float* weights;
  std::size_t w_step;
  const float* x;
  std::size_t x_block;
  const float* bias;
  int activation;
  float* y;
  std::size_t y_block;
};

template <std::size_t kOutputs, std::size_t kBlocks>
void multiply(const Product& g) {
  Vec sums[kOutputs][kBlocks] = {};
  const float* w = g.weights;
  const float* x = g.x;
  for (std::size_t step = 0; step < g.depth; ++step) {
    addProducts(
        sums, [=](std::size_t r) { return w[r]; },
        [&](std::size_t b) { return load(x + b * g.x_block); });
    w += g.w_step;
    x += kLanes;
  }
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 8
    for (std::size_t b = 0; b < kBlocks; ++b) {
      Vec value = sums[r][b];
      if (g.bias != nullptr) value += splat(g.bias[r]);
      if (g.activation == kSumacRelu) value = value < 0.0F ? Vec{} : value;
      store(g.y + b * g.y_block + r * kLanes, value);
    }
  }
}

using MultiplyFunction = void (*)(const Product&);
template <std::size_t kBlocks, std::size_t... kOutputs>
constexpr auto multiplyFunctions(std::index_sequence<kOutputs...>) {
  return std::array<MultiplyFunction, sizeof...(kOutputs)>{multiply<kOutputs + 1, kBlocks>...};
}

// Outputs of one tile, so that with its blocks it fits the registers.
constexpr std::size_t kTallest = kPanel;
constexpr std::size_t kTallestOfTwo = kLanes == 16 ? 10 : 4;
constexpr std::size_t kTallestOfFour = kLanes == 16 ? 6 : 2;
constexpr auto kOfOne = multiplyFunctions<1>(std::make_index_sequence<kTallest>{});
constexpr auto kOfTwo = multiplyFunctions<2>(std::make_index_sequence<kTallestOfTwo>{});
constexpr auto kOfFour = multiplyFunctions<4>(std::make_index_sequence<kTallestOfFour>{});

template <typename Functions>
void multiplyTiles(const Product& g, std::size_t outputs, const Functions& functions) {
  const Tiles tiles(outputs, functions.size());
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    Product one = g;
    const std::size_t first = tiles.begin(tile);
    one.weights += first;
    if (one.bias != nullptr) one.bias += first;
    one.y += first * kLanes;
    functions[tiles.size(tile) - 1](one);
  }
}

// `outputs` rows that begin at `g`, for all blocks.
void multiplyBlocks(Product g, std::size_t outputs, std::size_t blocks) {
  while (blocks > 0) {
    const std::size_t now = blocks >= 4 ? 4 : std::min<std::size_t>(blocks, 2);
    if (now == 4) multiplyTiles(g, outputs, kOfFour);
    if (now == 2) multiplyTiles(g, outputs, kOfTwo);
    if (now == 1) multiplyTiles(g, outputs, kOfOne);
    g.x += now * g.x_block;
    g.y += now * g.y_block;
    blocks -= now;
  }
}

}  // namespace

size_t lanesDensePanels(const SumacLanesDense* dense) {
  return Tiles(dense->outputs, kPanel).count;
}

size_t lanesDensePanelSize(const SumacLanesDense* dense) {
  return dense->inputs * kPanel;
}

// Row-major [output][input] to [input][output of the panel], the panel's rest zero.
void lanesDensePack(const SumacLanesDense* dense, float* panels, const float* w, size_t panel) {
  const Tiles tiles(dense->outputs, kPanel);
  const std::size_t width = tiles.size(panel);
  const std::size_t inputs = dense->inputs;
  const float* const from = w + tiles.begin(panel) * inputs;
  float* const to = panels + panel * inputs * kPanel;
  std::size_t k = 0;
  if constexpr (kPanel == kLanes) {
    for (; k + kLanes <= inputs; k += kLanes) {
      Vec rows[kLanes] = {};
#pragma GCC unroll 16
      for (std::size_t r = 0; r < kLanes; ++r)
        if (r < width) rows[r] = load(from + r * inputs + k);
      transpose(rows);
#pragma GCC unroll 16
      for (std::size_t i = 0; i < kLanes; ++i)
        store(to + (k + i) * kPanel, rows[i]);
    }
  }
  for (; k < inputs; ++k) {
    for (std::size_t r = 0; r < kPanel; ++r)
      to[k * kPanel + r] = r < width ? from[r * inputs + k] : 0.0F;
  }
}

void lanesDenseForward(const SumacLanesDense* dense, float* y, const float* x, const float* panels,
                       const float* bias, size_t panel) {
  const SumacLanesDense& s = *dense;
  const Tiles tiles(s.outputs, kPanel);
  const std::size_t first = tiles.begin(panel);
  const std::size_t outputs = tiles.size(panel);
  multiplyBlocks({.depth = s.inputs,
                  .weights = panels + panel * s.inputs * kPanel,
                  .w_step = kPanel,
                  .x = x,
                  .x_block = s.inputs * kLanes,
                  .bias = bias == nullptr ? nullptr : bias + first,
                  .activation = s.activation,
                  .y = y + first * kLanes,
                  .y_block = s.outputs * kLanes},
                 outputs, s.blocks);
  if (s.activation == kSumacIdentity || s.activation == kSumacRelu) return;
  for (std::size_t block = 0; block < s.blocks; ++block) {
    float* const values = y + (block * s.outputs + first) * kLanes;
    activate(s.activation, values, values, outputs * kLanes);
  }
}

void lanesDenseBackwardData(const SumacLanesDense* dense, float* dx, const float* dy,
                            const float* w, size_t first, size_t inputs) {
  const SumacLanesDense& s = *dense;
  multiplyBlocks({.depth = s.outputs,
                  .weights = w + first,
                  .w_step = s.inputs,
                  .x = dy,
                  .x_block = s.outputs * kLanes,
                  .bias = nullptr,
                  .activation = kSumacIdentity,
                  .y = dx + first * kLanes,
                  .y_block = s.inputs * kLanes},
                 inputs, s.blocks);
}

}  // namespace sumac::kernels
