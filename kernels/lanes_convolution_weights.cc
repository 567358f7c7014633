#include <algorithm>
#include <array>
#include <utility>

#include "kernels/functions.h"
#include "kernels/lanes.h"

// Compiled with -ffp-contract=fast. The gradient of one weight is one chain of additions a lane,
// over (block, row, column), and then the sum of the lanes. A tile of weights stays in registers
// while the pixels of a block pass. Large planes pass strip by strip, all tiles of a panel over one
// strip of rows before the next, so that what they share stays in the cache. The chains, hence the
// bits, are the same.
namespace sumac::kernels {
namespace {

using lanes::planeOf;
using lanes::rowOf;
using lanes::Tiles;

constexpr std::size_t kTileOutputs = kLanes == 16 ? 4 : 2;
constexpr std::size_t kTileTaps = 5;
constexpr std::size_t kTileFloats = kTileOutputs * kTileTaps * kLanes;  // of sums

// Pixels of a strip: enough that to load and store a tile's sums is little beside them, few enough
// that with the panel below all stays in a second-level cache.
constexpr std::size_t kStripPixels = 336;
// Pixels of the largest plane that passes whole.
constexpr std::size_t kWholePlane = 2 * kStripPixels;
// Tiles that pass over a strip together, a panel: so many tiles of taps (rows of some 9 channels)
// and so many tiles of outputs.
constexpr std::size_t kPanelTaps = 16;
constexpr std::size_t kPanelOutputs = 8;

std::size_t gradientRow(const SumacLanesConv& s) {
  return (s.out_columns + 2 * kSumacGradientBorder) * kLanes;
}

// The pixels for a tile: rows of output gradients and, per tap, where the first of them has its
// pixel.
struct Pixels {
  std::size_t first_row;
  std::size_t blocks;
  std::size_t x_block;
  std::size_t dz_block;
  std::size_t rows;
  std::size_t columns;
  const float* x;
  std::size_t x_row;
  std::size_t x_column;
  std::array<std::size_t, kTileTaps> taps;
  const float* dz;
  std::size_t dz_plane;
  std::size_t dz_row;
};

template <std::size_t kOutputs, std::size_t kTaps>
void addPixels(const Pixels& pixels, float* memory) {
  Vec sums[kOutputs][kTaps];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 8
    for (std::size_t t = 0; t < kTaps; ++t)
      sums[r][t] = load(memory + (r * kTaps + t) * kLanes);
  }
  std::size_t taps[kTaps];
#pragma GCC unroll 8
  for (std::size_t t = 0; t < kTaps; ++t)
    taps[t] = pixels.taps[t];
  const std::size_t plane = pixels.dz_plane;
  const std::size_t x_skip = pixels.x_row - pixels.columns * pixels.x_column;
  const std::size_t dz_skip = pixels.dz_row - pixels.columns * kLanes;
  for (std::size_t block = 0; block < pixels.blocks; ++block) {
    const float* x = pixels.x + block * pixels.x_block;
    const float* dz = pixels.dz + block * pixels.dz_block;
    std::size_t column = 0;
    // One loop over all pixels: a row is short, and the end of a loop over one is often predicted
    // wrong. Hence no branch at its end either.
    for (std::size_t n = pixels.rows * pixels.columns; n > 0; --n) {
      Vec gradients[kOutputs];
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kOutputs; ++r)
        gradients[r] = load(dz + r * plane);
#pragma GCC unroll 8
      for (std::size_t t = 0; t < kTaps; ++t) {
        const Vec value = load(x + taps[t]);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kOutputs; ++r)
          sums[r][t] += gradients[r] * value;
      }
      ++column;
      const std::size_t ends = std::size_t{0} - static_cast<std::size_t>(column == pixels.columns);
      column &= ~ends;
      x += pixels.x_column + (x_skip & ends);
      dz += kLanes + (dz_skip & ends);
    }
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 8
    for (std::size_t t = 0; t < kTaps; ++t)
      store(memory + (r * kTaps + t) * kLanes, sums[r][t]);
  }
}

using AddFunction = void (*)(const Pixels&, float*);
template <std::size_t kOutputs, std::size_t... kTaps>
constexpr auto addFunctionsOf(std::index_sequence<kTaps...>) {
  return std::array<AddFunction, sizeof...(kTaps)>{addPixels<kOutputs, kTaps + 1>...};
}
template <std::size_t... kOutputs>
constexpr auto addFunctions(std::index_sequence<kOutputs...>) {
  return std::array<std::array<AddFunction, kTileTaps>, sizeof...(kOutputs)>{
      addFunctionsOf<kOutputs + 1>(std::make_index_sequence<kTileTaps>{})...};
}
constexpr auto kAddFunctions = addFunctions(std::make_index_sequence<kTileOutputs>{});

// The tiles of one convolution: per group, outputs x taps.
struct Grid {
  std::size_t group_outputs;
  std::size_t group_taps;
  Tiles outputs;
  Tiles taps;

  explicit Grid(const SumacLanesConv& s)
      : group_outputs(s.y.channels / s.groups),
        group_taps(s.x.channels / s.groups * s.kernel * s.kernel),
        outputs(group_outputs, kTileOutputs),
        taps(group_taps, kTileTaps) {}
};

struct Tile {
  std::size_t group = 0;
  std::size_t output = 0;  // of all
  std::size_t outputs = 0;
  std::size_t tap = 0;  // of the group's
  std::size_t taps = 0;

  Tile() = default;
  Tile(const Grid& grid, std::size_t index) {
    const std::size_t per_group = grid.outputs.count * grid.taps.count;
    group = index / per_group;
    const std::size_t of_outputs = index % per_group / grid.taps.count;
    const std::size_t of_taps = index % grid.taps.count;
    output = group * grid.group_outputs + grid.outputs.begin(of_outputs);
    outputs = grid.outputs.size(of_outputs);
    tap = grid.taps.begin(of_taps);
    taps = grid.taps.size(of_taps);
  }
};

Pixels pixelsOf(const SumacLanesConv& s, const Tile& tile, const SumacLanesConvWeights& b) {
  Pixels pixels{};
  pixels.blocks = b.blocks;
  pixels.x_block = b.x_stride;
  pixels.dz_block = b.dz_stride;
  const std::size_t area = s.kernel * s.kernel;
  std::size_t highest = 0;  // the tap's row of the kernel
  std::size_t lowest = s.kernel;
  for (std::size_t t = 0; t < tile.taps; ++t) {
    const std::size_t tap = tile.tap + t;
    const std::size_t ky = tap % area / s.kernel;
    pixels.taps[t] = (tile.group * (s.x.channels / s.groups) + tap / area) * planeOf(s.x) +
                     (s.x.border - s.padding + ky) * rowOf(s.x) +
                     (s.x.border - s.padding + tap % s.kernel) * kLanes;
    highest = std::max(highest, ky);
    lowest = std::min(lowest, ky);
  }
  // Rows in which all taps lie in the border add nothing.
  const std::size_t first =
      highest < s.padding ? (s.padding - highest + s.stride - 1) / s.stride : 0;
  const std::size_t reach = s.x.rows + s.padding;
  std::size_t end = reach > lowest ? (reach - lowest + s.stride - 1) / s.stride : 0;
  end = std::min(end, s.out_rows);
  pixels.first_row = first;
  pixels.rows = end > first ? end - first : 0;
  pixels.columns = s.out_columns;
  pixels.x_row = s.stride * rowOf(s.x);
  pixels.x_column = s.stride * kLanes;
  pixels.x = b.x + first * pixels.x_row;
  pixels.dz_row = gradientRow(s);
  pixels.dz_plane = s.out_rows * pixels.dz_row;
  pixels.dz =
      b.dz + tile.output * pixels.dz_plane + first * pixels.dz_row + kSumacGradientBorder * kLanes;
  return pixels;
}

void finish(const Grid& grid, const Tile& tile, const float* sums, float* dw, bool accumulate) {
  for (std::size_t r = 0; r < tile.outputs; ++r) {
    float* const to = dw + (tile.output + r) * grid.group_taps + tile.tap;
    for (std::size_t t = 0; t < tile.taps; ++t) {
      const float sum = lanes::sumOfLanes(load(sums + (r * tile.taps + t) * kLanes));
      to[t] = accumulate ? to[t] + sum : sum;
    }
  }
}

bool passesWhole(const SumacLanesConv& s) {
  return s.out_rows * s.out_columns <= kWholePlane;
}

// The tiles of one convolution as panels: rectangles of outputs x taps of one group. With planes
// that pass whole a panel is one tile; with few taps it has few outputs, or there would be less
// panels than threads.
struct Panels {
  std::size_t outputs;  // panels above each other
  std::size_t taps;     // side by side
  std::size_t count;

  Panels(const SumacLanesConv& s, const Grid& grid) : outputs(grid.outputs.count), taps(1) {
    if (passesWhole(s)) {
      taps = grid.taps.count;
    } else if (grid.taps.count > kPanelTaps) {
      taps = Tiles(grid.taps.count, kPanelTaps).count;
      outputs = Tiles(grid.outputs.count, kPanelOutputs).count;
    }
    count = s.groups * outputs * taps;
  }
};

// The tiles of one panel, and where their sums are.
struct Panel {
  static constexpr std::size_t kMost = kPanelTaps * kPanelOutputs;

  std::size_t count = 0;
  std::array<Tile, kMost> tiles;
  std::array<Pixels, kMost> pixels;
  std::array<float*, kMost> sums;
};

void gather(Panel& panel, const SumacLanesConv& s, const SumacLanesConvWeights& b, const Grid& grid,
            std::size_t index, float* local) {
  const Panels panels(s, grid);
  const std::size_t group = index / (panels.outputs * panels.taps);
  const std::size_t row = index / panels.taps % panels.outputs;
  const std::size_t column = index % panels.taps;
  const auto cut = [](std::size_t n, std::size_t i, std::size_t pieces) { return n * i / pieces; };
  const std::size_t outputs = grid.outputs.count;
  const std::size_t taps = grid.taps.count;
  panel.count = 0;
  for (std::size_t output = cut(outputs, row, panels.outputs);
       output < cut(outputs, row + 1, panels.outputs); ++output) {
    for (std::size_t tap = cut(taps, column, panels.taps); tap < cut(taps, column + 1, panels.taps);
         ++tap) {
      const std::size_t i = panel.count++;
      const std::size_t tile = (group * outputs + output) * taps + tap;
      panel.tiles[i] = Tile(grid, tile);
      panel.pixels[i] = pixelsOf(s, panel.tiles[i], b);
      panel.sums[i] = b.sums == nullptr ? local + i * kTileFloats : b.sums + tile * kTileFloats;
    }
  }
}

void addTile(const Tile& tile, const Pixels& pixels, float* sums) {
  kAddFunctions[tile.outputs - 1][tile.taps - 1](pixels, sums);
}

// The rows [begin, end) of the planes of one block.
Pixels stripOf(const Pixels& all, std::size_t block, std::size_t begin, std::size_t end) {
  Pixels strip = all;
  strip.first_row = std::max(all.first_row, begin);
  end = std::min(all.first_row + all.rows, end);
  strip.rows = end > strip.first_row ? end - strip.first_row : 0;
  const std::size_t skipped = strip.first_row - all.first_row;
  strip.blocks = 1;
  strip.x += block * all.x_block + skipped * all.x_row;
  strip.dz += block * all.dz_block + skipped * all.dz_row;
  return strip;
}

void addPanel(const SumacLanesConv& s, const Panel& panel) {
  if (passesWhole(s)) {
    addTile(panel.tiles[0], panel.pixels[0], panel.sums[0]);
    return;
  }
  const std::size_t height = std::max<std::size_t>(kStripPixels / s.out_columns, 1);
  for (std::size_t block = 0; block < panel.pixels[0].blocks; ++block) {
    for (std::size_t row = 0; row < s.out_rows; row += height) {
      for (std::size_t i = 0; i < panel.count; ++i) {
        const Pixels strip = stripOf(panel.pixels[i], block, row, row + height);
        if (strip.rows > 0) addTile(panel.tiles[i], strip, panel.sums[i]);
      }
    }
  }
}

}  // namespace

size_t lanesConvWeightPanels(const SumacLanesConv* conv) {
  return Panels(*conv, Grid(*conv)).count;
}

size_t lanesConvPanelRows(const SumacLanesConv* conv) {
  return conv->groups * Panels(*conv, Grid(*conv)).outputs;
}

size_t lanesConvPanelOutput(const SumacLanesConv* conv, size_t row) {
  const Grid grid(*conv);
  const Panels panels(*conv, grid);
  const std::size_t tile = grid.outputs.count * (row % panels.outputs) / panels.outputs;
  return row / panels.outputs * grid.group_outputs + grid.outputs.begin(tile);
}

void lanesConvBackwardWeights(const SumacLanesConv* conv, const SumacLanesConvWeights* b) {
  const Grid grid(*conv);
  Panel panel;
  alignas(64) float local[Panel::kMost * kTileFloats];
  for (std::size_t index = b->first_panel; index < b->first_panel + b->panels; ++index) {
    gather(panel, *conv, *b, grid, index, local);
    for (std::size_t i = 0; i < panel.count && b->begins != 0; ++i)
      std::fill_n(panel.sums[i], kTileFloats, 0.0F);
    addPanel(*conv, panel);
    for (std::size_t i = 0; i < panel.count && b->ends != 0; ++i)
      finish(grid, panel.tiles[i], panel.sums[i], b->dw, b->accumulate != 0);
  }
}

size_t lanesConvWeightSums(const SumacLanesConv* conv) {
  const Grid grid(*conv);
  return conv->groups * grid.outputs.count * grid.taps.count * kTileFloats;
}

}  // namespace sumac::kernels
