#include <array>
#include <utility>

#include "kernels/convolution_tile.h"
#include "kernels/functions.h"
#include "kernels/vector_math.h"

// Compiled with -ffp-contract=fast. Every output is one chain of additions over (channel, kernel
// row, kernel column), after the bias.
namespace sumac::kernels {
namespace {

using lanes::addProducts;
using lanes::originOf;
using lanes::planeOf;
using lanes::rowOf;
using lanes::TapRange;
using lanes::Taps;
using lanes::Tiles;

constexpr std::size_t kWindow = 4;  // pixels of a tile, or of a pooling window
constexpr std::size_t kTileOutputs = kLanes == 16 ? 6 : 3;
constexpr std::uint8_t kNoPixel = kWindow;  // place of a maximum that passes no gradient back

struct Job {
  const SumacLanesConv& conv;
  float* y;
  std::uint8_t* argmax;
  const float* x;
  std::size_t first_row;
  std::size_t rows;
};

// The outputs of one tile: where their weights, biases and channels are.
struct Outputs {
  std::size_t first;
  std::size_t first_input;
  const float* weights;
  const float* bias;
};

Taps tapsOf(const SumacLanesConv& s, const TapRange& rows, const TapRange& columns,
            std::size_t outputs) {
  return {.channels = s.x.channels / s.groups,
          .rows = rows.size(),
          .columns = columns.size(),
          .x_channel = static_cast<std::ptrdiff_t>(planeOf(s.x)),
          .x_row = static_cast<std::ptrdiff_t>(rowOf(s.x)),
          .x_column = kLanes,
          .w_channel = s.kernel * s.kernel * outputs,
          .w_row = s.kernel * outputs,
          .w_column = outputs};
}

// From the block's begin to the pixel of output (0, 0)'s tap (ky, kx).
std::size_t tapAt(const SumacLanesConv& s, std::size_t ky, std::size_t kx) {
  return (s.x.border - s.padding + ky) * rowOf(s.x) + (s.x.border - s.padding + kx) * kLanes;
}

template <std::size_t kOutputs, std::size_t kPixels>
[[gnu::always_inline]] inline void beginWith(Vec (&sums)[kOutputs][kPixels], const float* bias) {
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kPixels; ++p)
      sums[r][p] = bias == nullptr ? Vec{} : splat(bias[r]);
  }
}

// The maximum of a window and its place; the first of equal values wins. A window with NaN, or
// with infinities of both signs, has NaN: a training that diverged stays visible.
[[gnu::always_inline]] inline Vec maximumOf(const Vec (&window)[kWindow], IntVec& place) {
  const IntVec right_above = window[1] > window[0];
  const IntVec right_below = window[3] > window[2];
  const Vec above = right_above ? window[1] : window[0];
  const Vec below = right_below ? window[3] : window[2];
  const IntVec is_below = below > above;
  // True is -1.
  place = is_below ? 2 - right_below : -right_above;
  const Vec best = is_below ? below : above;
  const Vec sum = (window[0] + window[1]) + (window[2] + window[3]);
  return sum == sum ? best : sum;
}

template <std::size_t kOutputs>
[[gnu::always_inline]] inline void poolPixel(const Job& job, const Outputs& outputs,
                                             std::size_t row, std::size_t column) {
  const SumacLanesConv& s = job.conv;
  const TapRange ys(s, 2 * row, 2 * row + 1, s.x.rows);
  const TapRange xs(s, 2 * column, 2 * column + 1, s.x.columns);
  const auto x_row = static_cast<std::ptrdiff_t>(s.stride * rowOf(s.x));
  const auto x_column = static_cast<std::ptrdiff_t>(s.stride * kLanes);
  const std::ptrdiff_t at[kWindow] = {0, x_column, x_row, x_row + x_column};
  Vec sums[kOutputs][kWindow];
  beginWith(sums, outputs.bias);
  addProducts(sums, tapsOf(s, ys, xs, kOutputs),
              job.x + outputs.first_input * planeOf(s.x) + tapAt(s, ys.begin, xs.begin) +
                  2 * row * s.stride * rowOf(s.x) + 2 * column * s.stride * kLanes,
              at, outputs.weights + (ys.begin * s.kernel + xs.begin) * kOutputs);

  float* const y =
      job.y + originOf(s.y) + outputs.first * planeOf(s.y) + row * rowOf(s.y) + column * kLanes;
  std::uint8_t* const argmax =
      job.argmax + ((outputs.first * s.y.rows + row) * s.y.columns + column) * kLanes;
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kOutputs; ++r) {
    IntVec place;
    Vec best = maximumOf(sums[r], place);
    if (s.activation == kSumacRelu) {
      place = best > 0.0F ? place : kNoPixel - IntVec{};
      best = best < 0.0F ? Vec{} : best;
    }
    store(y + r * planeOf(s.y), best);
    lanes::storeBytes(argmax + r * s.y.rows * s.y.columns * kLanes,
                      __builtin_convertvector(place, lanes::Bytes));
  }
}

template <std::size_t kOutputs>
void poolTile(const Job& job, const Outputs& outputs) {
  for (std::size_t row = job.first_row; row < job.first_row + job.rows; ++row) {
    for (std::size_t column = 0; column < job.conv.y.columns; ++column)
      poolPixel<kOutputs>(job, outputs, row, column);
  }
}

// kPixels pixels that follow each other in the image's rows, the first of them the n-th.
template <std::size_t kOutputs, std::size_t kPixels>
[[gnu::always_inline]] inline void plainPixels(const Job& job, const Outputs& outputs,
                                               std::size_t n) {
  const SumacLanesConv& s = job.conv;
  std::ptrdiff_t at[kPixels];
  std::size_t to[kPixels];
  std::size_t row = n / s.out_columns;
  std::size_t column = n % s.out_columns;
  const std::size_t first_row = row;
  const std::size_t first_column = column;
#pragma GCC unroll 8
  for (std::size_t p = 0; p < kPixels; ++p) {
    at[p] = static_cast<std::ptrdiff_t>(row * s.stride * rowOf(s.x) + column * s.stride * kLanes);
    to[p] = row * rowOf(s.y) + column * kLanes;
    if (++column == s.out_columns && p + 1 < kPixels) {
      column = 0;
      ++row;
    }
  }
  const bool one_row = row == first_row;
  const TapRange ys(s, first_row, row, s.x.rows);
  const TapRange xs(s, one_row ? first_column : 0, one_row ? column - 1 : s.out_columns - 1,
                    s.x.columns);
  Vec sums[kOutputs][kPixels];
  beginWith(sums, outputs.bias);
  addProducts(sums, tapsOf(s, ys, xs, kOutputs),
              job.x + outputs.first_input * planeOf(s.x) + tapAt(s, ys.begin, xs.begin), at,
              outputs.weights + (ys.begin * s.kernel + xs.begin) * kOutputs);
  float* const y = job.y + originOf(s.y) + outputs.first * planeOf(s.y);
#pragma GCC unroll 8
  for (std::size_t r = 0; r < kOutputs; ++r) {
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kPixels; ++p) {
      Vec value = sums[r][p];
      if (s.activation == kSumacRelu) value = value < 0.0F ? Vec{} : value;
      store(y + r * planeOf(s.y) + to[p], value);
    }
  }
}

template <std::size_t kOutputs>
void plainTile(const Job& job, const Outputs& outputs) {
  const std::size_t columns = job.conv.out_columns;
  std::size_t n = job.first_row * columns;
  const std::size_t end = n + job.rows * columns;
  for (; n + kWindow <= end; n += kWindow)
    plainPixels<kOutputs, kWindow>(job, outputs, n);
  if (n + 2 <= end) {
    plainPixels<kOutputs, 2>(job, outputs, n);
    n += 2;
  }
  if (n < end) plainPixels<kOutputs, 1>(job, outputs, n);
}

using TileFunction = void (*)(const Job&, const Outputs&);
template <std::size_t... kOutputs>
constexpr auto tileFunctions(std::index_sequence<kOutputs...>) {
  return std::array<std::array<TileFunction, 2>, sizeof...(kOutputs)>{
      {{plainTile<kOutputs + 1>, poolTile<kOutputs + 1>}...}};
}
constexpr auto kTileFunctions = tileFunctions(std::make_index_sequence<kTileOutputs>{});

// tanh and sigmoid follow when the rows are written and still in the cache.
void activateRows(const Job& job) {
  const SumacLanesConv& s = job.conv;
  if (s.activation != kSumacTanh && s.activation != kSumacSigmoid) return;
  for (std::size_t channel = 0; channel < s.y.channels; ++channel) {
    for (std::size_t row = job.first_row; row < job.first_row + job.rows; ++row) {
      float* const y = job.y + originOf(s.y) + channel * planeOf(s.y) + row * rowOf(s.y);
      activate(s.activation, y, y, s.y.columns * kLanes);
    }
  }
}

}  // namespace

// [output][input][tap] -> group after group, tile after tile, [input][tap][output of the tile]: in
// the order in which they are used.
void lanesConvPack(const SumacLanesConv* conv, float* panels, const float* w) {
  const SumacLanesConv& s = *conv;
  const std::size_t outputs = s.y.channels / s.groups;
  const std::size_t taps = s.x.channels / s.groups * s.kernel * s.kernel;
  const Tiles tiles(outputs, kTileOutputs);
  for (std::size_t group = 0; group < s.groups; ++group) {
    for (std::size_t tile = 0; tile < tiles.count; ++tile) {
      const float* const from = w + (group * outputs + tiles.begin(tile)) * taps;
      const std::size_t height = tiles.size(tile);
      for (std::size_t tap = 0; tap < taps; ++tap) {
        for (std::size_t r = 0; r < height; ++r)
          *panels++ = from[r * taps + tap];
      }
    }
  }
}

void lanesConvForward(const SumacLanesConv* conv, const SumacLanesConvForward* f) {
  const SumacLanesConv& s = *conv;
  const Job job{s, f->y, f->argmax, f->x, f->first_row, f->rows};
  const std::size_t outputs = s.y.channels / s.groups;
  const std::size_t inputs = s.x.channels / s.groups;
  const std::size_t taps = inputs * s.kernel * s.kernel;
  const Tiles tiles(outputs, kTileOutputs);
  for (std::size_t group = 0; group < s.groups; ++group) {
    for (std::size_t tile = 0; tile < tiles.count; ++tile) {
      const std::size_t first = group * outputs + tiles.begin(tile);
      const Outputs these{first, group * inputs, f->panels + first * taps,
                          f->bias == nullptr ? nullptr : f->bias + first};
      kTileFunctions[tiles.size(tile) - 1][s.pool != 0 ? 1 : 0](job, these);
    }
  }
  activateRows(job);
}

}  // namespace sumac::kernels
