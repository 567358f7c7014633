#include "common/kernels/direct_convolution.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/kernels/simd.h"

// Compiled with -ffp-contract=fast. Each output is one chain of additions over (channel, kernel
// row, kernel column).
namespace sumac::kernels::direct {
namespace {

std::size_t roundedUp(std::size_t columns) {
  return (columns + kLanes - 1) / kLanes * kLanes;
}

// Width of a bordered row: as far as the last vector of outputs reads.
std::size_t borderedWidth(const SumacConv2d& s) {
  return roundedUp(s.out_columns) + s.kernel - 1;
}
std::size_t borderedPlane(const SumacConv2d& s) {
  return (s.rows + 2 * s.padding) * borderedWidth(s);
}

// `image` with its border; what is beyond the columns becomes zero as well.
void addBorder(const SumacConv2d& s, float* out, const float* image) {
  const std::size_t width = borderedWidth(s);
  const std::size_t columns = std::min(s.columns, width - s.padding);
  std::fill_n(out, s.channels * borderedPlane(s), 0.0F);
  for (std::size_t channel = 0; channel < s.channels; ++channel) {
    float* line = out + channel * borderedPlane(s) + s.padding * width + s.padding;
    for (std::size_t row = 0; row < s.rows; ++row) {
      std::copy_n(image, columns, line);
      image += s.columns;
      line += width;
    }
  }
}

// [output][tap] -> tile after tile, [tap][output of the tile]: in the order in which they are used.
void packWeights(std::size_t outputs, std::size_t taps, float* out, const float* w) {
  std::size_t height = 0;
  for (std::size_t o = 0; o < outputs; o += height) {
    height = tileHeight(outputs - o);
    for (std::size_t tap = 0; tap < taps; ++tap) {
      for (std::size_t r = 0; r < height; ++r)
        *out++ = w[(o + r) * taps + tap];
    }
  }
}

// Two vectors of output pixels, by where they are in the bordered image and in a plane of outputs.
struct Pair {
  std::array<std::size_t, 2> from;
  std::array<std::size_t, 2> to;
  std::array<std::size_t, 2> columns;
};

// A vector may reach into the next row, which is written after it, but not into the next plane.
void storePixels(float* plane, std::size_t pixels, std::size_t to, std::size_t columns,
                 const Vec& value) {
  if (to + kLanes <= pixels) {
    store(plane + to, value);
    return;
  }
  for (std::size_t i = 0; i < columns; ++i)
    plane[to + i] = value[i];
}

template <std::size_t kRows>
void convolveTile(const SumacConv2d& s, const Pair& pair, float* y, const float* image,
                  const float* w, const float* bias) {
  const std::size_t width = borderedWidth(s);
  Vec sums[kRows][2];
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    sums[r][0] = (bias == nullptr ? 0.0F : bias[r]) - Vec{};
    sums[r][1] = sums[r][0];
  }
  for (std::size_t channel = 0; channel < s.channels; ++channel) {
    for (std::size_t ky = 0; ky < s.kernel; ++ky) {
      const float* const line = image + channel * borderedPlane(s) + ky * width;
      for (std::size_t kx = 0; kx < s.kernel; ++kx) {
        const Vec first = load(line + pair.from[0] + kx);
        const Vec second = load(line + pair.from[1] + kx);
#pragma GCC unroll 12
        for (std::size_t r = 0; r < kRows; ++r) {
          const Vec weight = w[r] - Vec{};
          sums[r][0] += weight * first;
          sums[r][1] += weight * second;
        }
        w += kRows;
      }
    }
  }
  const std::size_t pixels = s.out_rows * s.out_columns;
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
    storePixels(y + r * pixels, pixels, pair.to[0], pair.columns[0], sums[r][0]);
    storePixels(y + r * pixels, pixels, pair.to[1], pair.columns[1], sums[r][1]);
  }
}

using ConvolveTile = void (*)(const SumacConv2d&, const Pair&, float*, const float*, const float*,
                              const float*);
template <std::size_t... kRows>
constexpr auto convolveTiles(std::index_sequence<kRows...>) {
  return std::array<ConvolveTile, sizeof...(kRows)>{convolveTile<kRows + 1>...};
}
constexpr auto kConvolveTiles = convolveTiles(std::make_index_sequence<kTileRows>{});

Pair pairAt(const SumacConv2d& s, std::size_t vector) {
  const std::size_t in_row = roundedUp(s.out_columns) / kLanes;
  const std::size_t last = s.out_rows * in_row - 1;
  Pair pair{};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::size_t place = std::min(vector + i, last);
    const std::size_t row = place / in_row;
    const std::size_t column = place % in_row * kLanes;
    pair.from[i] = row * borderedWidth(s) + column;
    pair.to[i] = row * s.out_columns + column;
    pair.columns[i] = std::min(kLanes, s.out_columns - column);
  }
  return pair;
}

// One sample; `w` is packed.
void convolve(const SumacConv2d& s, float* y, const float* image, const float* w,
              const float* bias) {
  const std::size_t taps = s.channels * s.kernel * s.kernel;
  const std::size_t vectors = s.out_rows * roundedUp(s.out_columns) / kLanes;
  std::size_t height = 0;
  for (std::size_t o = 0; o < s.outputs; o += height) {
    height = tileHeight(s.outputs - o);
    for (std::size_t vector = 0; vector < vectors; vector += 2) {
      kConvolveTiles[height - 1](s, pairAt(s, vector), y + o * s.out_rows * s.out_columns, image,
                                 w + o * taps, bias == nullptr ? nullptr : bias + o);
    }
  }
}

std::size_t weightCount(const SumacConv2d& s) {
  return s.outputs * s.channels * s.kernel * s.kernel;
}

// The convolution that takes dy to dx.
SumacConv2d transposed(const SumacConv2d& s) {
  return {s.outputs, s.out_rows, s.out_columns,           s.channels, s.rows, s.columns,
          s.kernel,  1,          s.kernel - 1 - s.padding};
}

// [output][channel][row][column] -> [channel][output], rows and columns backwards.
void transposeWeights(const SumacConv2d& s, float* out, const float* w) {
  const std::size_t area = s.kernel * s.kernel;
  for (std::size_t channel = 0; channel < s.channels; ++channel) {
    for (std::size_t output = 0; output < s.outputs; ++output) {
      const float* const from = w + (output * s.channels + channel) * area;
      for (std::size_t i = 0; i < area; ++i)
        *out++ = from[area - 1 - i];
    }
  }
}

// The weights' gradient is summed in vectors, one for each weight, over this many samples at a
// time.
constexpr std::size_t kSamples = 8;
constexpr std::size_t kSlopeRows = kLanes == 16 ? 4 : 2;
constexpr std::size_t kSlopeTaps = 5;

std::size_t slopesPlane(const SumacConv2d& s) {
  return s.out_rows * roundedUp(s.out_columns);
}

// dy with rows filled up with zeros to whole vectors.
void fillUp(const SumacConv2d& s, float* out, const float* dy) {
  const std::size_t width = roundedUp(s.out_columns);
  for (std::size_t row = 0; row < s.outputs * s.out_rows; ++row) {
    std::copy_n(dy, s.out_columns, out);
    std::fill(out + s.out_columns, out + width, 0.0F);
    dy += s.out_columns;
    out += width;
  }
}

// Adds to the sums of kRows outputs and kTaps neighbouring taps. `image` is where the first tap
// reads for the first pixel.
template <std::size_t kRows, std::size_t kTaps>
void slopeTile(const SumacConv2d& s, float* sums_out, const float* image, const float* dy,
               std::size_t samples) {
  const std::size_t width = borderedWidth(s);
  const std::size_t row_width = roundedUp(s.out_columns);
  const std::size_t stride = s.channels * s.kernel * s.kernel * kLanes;
  Vec sums[kRows][kTaps];
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 5
    for (std::size_t t = 0; t < kTaps; ++t)
      sums[r][t] = load(sums_out + r * stride + t * kLanes);
  }
  for (std::size_t sample = 0; sample < samples; ++sample) {
    for (std::size_t row = 0; row < s.out_rows; ++row) {
      for (std::size_t column = 0; column < row_width; column += kLanes) {
        const float* const x = image + row * width + column;
        const float* const slopes = dy + row * row_width + column;
        Vec values[kTaps];
#pragma GCC unroll 5
        for (std::size_t t = 0; t < kTaps; ++t)
          values[t] = load(x + t);
#pragma GCC unroll 4
        for (std::size_t r = 0; r < kRows; ++r) {
          const Vec slope = load(slopes + r * slopesPlane(s));
#pragma GCC unroll 5
          for (std::size_t t = 0; t < kTaps; ++t)
            sums[r][t] += slope * values[t];
        }
      }
    }
    image += s.channels * borderedPlane(s);
    dy += s.outputs * slopesPlane(s);
  }
#pragma GCC unroll 4
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 5
    for (std::size_t t = 0; t < kTaps; ++t)
      store(sums_out + r * stride + t * kLanes, sums[r][t]);
  }
}

using SlopeTile = void (*)(const SumacConv2d&, float*, const float*, const float*, std::size_t);
template <std::size_t... kIndices>
constexpr auto slopeTiles(std::index_sequence<kIndices...>) {
  return std::array<SlopeTile, sizeof...(kIndices)>{
      slopeTile<kIndices / kSlopeTaps + 1, kIndices % kSlopeTaps + 1>...};
}
constexpr auto kSlopeTiles = slopeTiles(std::make_index_sequence<kSlopeRows * kSlopeTaps>{});

// All weights, for a few samples; `images` and `dy` are bordered and filled up.
void addSlopes(const SumacConv2d& s, float* sums, const float* images, const float* dy,
               std::size_t samples) {
  for (std::size_t o = 0; o < s.outputs; o += kSlopeRows) {
    const std::size_t rows = std::min(kSlopeRows, s.outputs - o);
    for (std::size_t line = 0; line < s.channels * s.kernel; ++line) {
      const std::size_t channel = line / s.kernel;
      const float* const image =
          images + channel * borderedPlane(s) + line % s.kernel * borderedWidth(s);
      for (std::size_t kx = 0; kx < s.kernel; kx += kSlopeTaps) {
        const std::size_t taps = std::min(kSlopeTaps, s.kernel - kx);
        const std::size_t weight = (o * s.channels * s.kernel + line) * s.kernel + kx;
        kSlopeTiles[(rows - 1) * kSlopeTaps + taps - 1](s, sums + weight * kLanes, image + kx,
                                                        dy + o * slopesPlane(s), samples);
      }
    }
  }
}

float sumOfLanes(const float* lanes) {
  float sums[kLanes];
  std::copy_n(lanes, kLanes, sums);
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane)
      sums[lane] += sums[lane + width];
  }
  return sums[0];
}

}  // namespace

bool suits(const SumacConv2d& shape) {
  return shape.stride == 1 && shape.padding < shape.kernel &&
         2 * std::min(shape.out_columns, shape.columns) >= kLanes;
}

std::size_t workspace(const SumacConv2d& shape) {
  const SumacConv2d back = transposed(shape);
  const std::size_t image = shape.channels * borderedPlane(shape);
  return std::max(
      {weightCount(shape) + image, 2 * weightCount(shape) + back.channels * borderedPlane(back),
       weightCount(shape) * kLanes + kSamples * (image + shape.outputs * slopesPlane(shape))});
}

void forward(const SumacConv2d& shape, float* y, const float* x, const float* w, const float* bias,
             float* workspace, std::size_t samples) {
  float* const packed = workspace;
  float* const image = packed + weightCount(shape);
  packWeights(shape.outputs, shape.channels * shape.kernel * shape.kernel, packed, w);
  for (std::size_t sample = 0; sample < samples; ++sample) {
    addBorder(shape, image, x);
    convolve(shape, y, image, packed, bias);
    x += shape.channels * shape.rows * shape.columns;
    y += shape.outputs * shape.out_rows * shape.out_columns;
  }
}

void backwardData(const SumacConv2d& shape, float* dx, const float* dy, const float* w,
                  float* workspace, std::size_t samples) {
  float* const turned = workspace;
  transposeWeights(shape, turned, w);
  forward(transposed(shape), dx, dy, turned, nullptr, turned + weightCount(shape), samples);
}

void backwardWeights(const SumacConv2d& shape, float* dw, const float* x, const float* dy,
                     float* workspace, std::size_t samples) {
  const SumacConv2d& s = shape;
  float* const sums = workspace;
  float* const images = sums + weightCount(s) * kLanes;
  float* const slopes = images + kSamples * s.channels * borderedPlane(s);
  std::fill_n(sums, weightCount(s) * kLanes, 0.0F);
  for (std::size_t first = 0; first < samples; first += kSamples) {
    const std::size_t count = std::min(kSamples, samples - first);
    for (std::size_t i = 0; i < count; ++i) {
      addBorder(s, images + i * s.channels * borderedPlane(s), x);
      fillUp(s, slopes + i * s.outputs * slopesPlane(s), dy);
      x += s.channels * s.rows * s.columns;
      dy += s.outputs * s.out_rows * s.out_columns;
    }
    addSlopes(s, sums, images, slopes, count);
  }
  for (std::size_t i = 0; i < weightCount(s); ++i)
    dw[i] = sumOfLanes(sums + i * kLanes);
}

}  // namespace sumac::kernels::direct
