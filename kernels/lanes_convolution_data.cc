#include <algorithm>
#include <array>
#include <utility>

#include "kernels/convolution_tile.h"
#include "kernels/functions.h"

// Compiled with -ffp-contract=fast. Every input gradient is one chain of additions over (output,
// kernel row, kernel column); taps that lie outside the image of output gradients are left out, row
// by row and pair of columns by pair of columns. The outputs pass in chunks, and the sums lie in dx
// meanwhile, so that a row of large planes stays in the cache for all inputs; the chains are the
// same. With a stride only every n-th row and column of
// the kernel meets a pixel: pixels of one remainder are computed together.
namespace sumac::kernels {
namespace {

using lanes::addProducts;
using lanes::Taps;
using lanes::Tiles;

constexpr std::size_t kTileInputs = 6;
constexpr std::size_t kPixels = 2;  // more would compute more products beside the image
static_assert(kPixels == kSumacGradientBorder + 1);
// Floats of the output gradients that one row of pixels takes from a chunk: a fourth of a
// second-level cache.
constexpr std::size_t kChunkFloats = 64 * 1024;

// The output gradients that reach a pixel along one axis: taps first_tap + i stride of outputs
// nearest - i, for i in [begin, end).
struct Reach {
  std::size_t first_tap;
  std::size_t nearest;
  std::size_t begin;
  std::size_t end;

  Reach(const SumacLanesConv& s, std::size_t pixel, std::size_t pixels, std::size_t extent)
      : first_tap((pixel + s.padding) % s.stride), nearest((pixel + s.padding) / s.stride) {
    const std::size_t taps =
        first_tap < s.kernel ? (s.kernel - first_tap + s.stride - 1) / s.stride : 0;
    end = std::min(taps, nearest + pixels);
    begin = std::min(end, nearest + 1 > extent ? nearest + 1 - extent : 0);
  }
};

struct Job {
  const SumacLanesConv& conv;
  float* dx;
  const float* dz;
};

// The inputs of one tile, and the chunk of outputs whose products are added.
struct Inputs {
  std::size_t first;
  std::size_t first_output;
  std::size_t outputs;
  const float* weights;
  bool begins;  // the first chunk: no sums before it
};

std::size_t gradientRow(const SumacLanesConv& s) {
  return (s.out_columns + 2 * kSumacGradientBorder) * kLanes;
}

template <std::size_t kInputs, std::size_t kColumns>
[[gnu::always_inline]] inline void inputPixels(const Job& job, const Inputs& inputs,
                                               std::size_t row, std::size_t column) {
  const SumacLanesConv& s = job.conv;
  const Reach ys(s, row, 1, s.out_rows);
  const Reach xs(s, column, kColumns, s.out_columns);
  const std::size_t width = gradientRow(s);
  const std::size_t plane = s.out_rows * width;
  const Taps taps{.channels = inputs.outputs,
                  .rows = ys.end - ys.begin,
                  .columns = xs.end - xs.begin,
                  .x_channel = static_cast<std::ptrdiff_t>(plane),
                  .x_row = -static_cast<std::ptrdiff_t>(width),
                  .x_column = -static_cast<std::ptrdiff_t>(kLanes),
                  .w_channel = s.kernel * s.kernel * kInputs,
                  .w_row = s.stride * s.kernel * kInputs,
                  .w_column = s.stride * kInputs};
  std::ptrdiff_t at[kColumns];
  for (std::size_t p = 0; p < kColumns; ++p)
    at[p] = static_cast<std::ptrdiff_t>(p * kLanes);
  const std::size_t dx_row = s.x.columns * kLanes;
  float* const dx = job.dx + (inputs.first * s.x.rows + row) * dx_row + column * kLanes;
  Vec sums[kInputs][kColumns];
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kInputs; ++r) {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kColumns; ++p)
      sums[r][p] = inputs.begins ? Vec{} : load(dx + r * s.x.rows * dx_row + p * s.stride * kLanes);
  }
  if (taps.rows > 0 && taps.columns > 0) {
    const std::size_t tap =
        (ys.first_tap + ys.begin * s.stride) * s.kernel + xs.first_tap + xs.begin * s.stride;
    addProducts(sums, taps,
                job.dz + inputs.first_output * plane + (ys.nearest - ys.begin) * width +
                    (xs.nearest + kSumacGradientBorder - xs.begin) * kLanes,
                at, inputs.weights + tap * kInputs);
  }
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kInputs; ++r) {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kColumns; ++p)
      store(dx + r * s.x.rows * dx_row + p * s.stride * kLanes, sums[r][p]);
  }
}

template <std::size_t kInputs>
void inputRow(const Job& job, const Inputs& inputs, std::size_t row) {
  const SumacLanesConv& s = job.conv;
  for (std::size_t phase = 0; phase < std::min(s.stride, s.x.columns); ++phase) {
    std::size_t column = phase;
    for (; column + s.stride < s.x.columns; column += kPixels * s.stride)
      inputPixels<kInputs, kPixels>(job, inputs, row, column);
    if (column < s.x.columns) inputPixels<kInputs, 1>(job, inputs, row, column);
  }
}

using RowFunction = void (*)(const Job&, const Inputs&, std::size_t);
template <std::size_t... kInputs>
constexpr auto rowFunctions(std::index_sequence<kInputs...>) {
  return std::array<RowFunction, sizeof...(kInputs)>{inputRow<kInputs + 1>...};
}
constexpr auto kRowFunctions = rowFunctions(std::make_index_sequence<kTileInputs>{});

// Of one group.
struct Extents {
  std::size_t outputs;
  std::size_t inputs;
  std::size_t area;
  std::size_t chunk;  // outputs

  explicit Extents(const SumacLanesConv& s)
      : outputs(s.y.channels / s.groups),
        inputs(s.x.channels / s.groups),
        area(s.kernel * s.kernel),
        chunk(std::clamp<std::size_t>(kChunkFloats / (s.kernel * gradientRow(s)), 1, outputs)) {}
};

struct Chunk {
  std::size_t first;
  std::size_t size;
};

// The products of one chunk of a group's outputs, at some rows of all its inputs.
void addChunk(const Job& job, const Extents& extents, std::size_t group, const Chunk& chunk,
              const float* panels, std::size_t first_row, std::size_t rows) {
  const Tiles tiles(extents.inputs, kTileInputs);
  for (std::size_t tile = 0; tile < tiles.count; ++tile) {
    const std::size_t first = group * extents.inputs + tiles.begin(tile);
    const float* const weights = panels + first * extents.outputs * extents.area;
    const Inputs these{first, group * extents.outputs + chunk.first, chunk.size,
                       weights + chunk.first * extents.area * tiles.size(tile), chunk.first == 0};
    for (std::size_t row = first_row; row < first_row + rows; ++row)
      kRowFunctions[tiles.size(tile) - 1](job, these, row);
  }
}

}  // namespace

// [output][input][tap] -> group after group, tile of inputs after tile, [output][tap][input of the
// tile].
void lanesConvPackBackward(const SumacLanesConv* conv, float* panels, const float* w) {
  const SumacLanesConv& s = *conv;
  const std::size_t outputs = s.y.channels / s.groups;
  const std::size_t inputs = s.x.channels / s.groups;
  const std::size_t area = s.kernel * s.kernel;
  const Tiles tiles(inputs, kTileInputs);
  for (std::size_t group = 0; group < s.groups; ++group) {
    for (std::size_t tile = 0; tile < tiles.count; ++tile) {
      for (std::size_t output = 0; output < outputs; ++output) {
        const float* const from =
            w + ((group * outputs + output) * inputs + tiles.begin(tile)) * area;
        for (std::size_t tap = 0; tap < area; ++tap) {
          for (std::size_t r = 0; r < tiles.size(tile); ++r)
            *panels++ = from[r * area + tap];
        }
      }
    }
  }
}

void lanesConvBackwardData(const SumacLanesConv* conv, float* dx, const float* dz,
                           const float* panels, size_t first_row, size_t rows) {
  const SumacLanesConv& s = *conv;
  const Job job{s, dx, dz};
  const Extents extents(s);
  for (std::size_t group = 0; group < s.groups; ++group) {
    if (extents.chunk == extents.outputs) {
      addChunk(job, extents, group, {0, extents.outputs}, panels, first_row, rows);
      continue;
    }
    for (std::size_t row = first_row; row < first_row + rows; ++row) {
      for (std::size_t output = 0; output < extents.outputs; output += extents.chunk) {
        const std::size_t size = std::min(extents.chunk, extents.outputs - output);
        addChunk(job, extents, group, {output, size}, panels, row, 1);
      }
    }
  }
}

}  // namespace sumac::kernels
