#pragma once

#include <cstddef>

#include "kernels/lanes.h"

namespace sumac::kernels::lanes {

/// Which products one tile of a convolution sums: for every channel, row and column of taps, how
/// far the pixel and the weights lie from those of the first one.
struct Taps {
  std::size_t channels = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::ptrdiff_t x_channel = 0;
  std::ptrdiff_t x_row = 0;
  std::ptrdiff_t x_column = 0;
  std::size_t w_channel = 0;
  std::size_t w_row = 0;
  std::size_t w_column = 0;
};

/// sums[r][p] += w[r] * x[at[p]], over all taps: kOutputs channels of kPixels pixels, each one
/// chain of additions. The sums stay in registers.
template <std::size_t kOutputs, std::size_t kPixels>
[[gnu::always_inline]] inline void addProducts(Vec (&sums)[kOutputs][kPixels], const Taps& taps,
                                               const float* x, const std::ptrdiff_t (&at)[kPixels],
                                               const float* w) {
  for (std::size_t channel = 0; channel < taps.channels; ++channel) {
    const float* x_line = x;
    const float* w_line = w;
    for (std::size_t row = 0; row < taps.rows; ++row) {
      const float* pixel = x_line;
      const float* weight = w_line;
      for (std::size_t column = 0; column < taps.columns; ++column) {
        kernels::addProducts(
            sums, [=](std::size_t r) { return weight[r]; },
            [&](std::size_t p) { return load(pixel + at[p]); });
        pixel += taps.x_column;
        weight += taps.w_column;
      }
      x_line += taps.x_row;
      w_line += taps.w_row;
    }
    x += taps.x_channel;
    w += taps.w_channel;
  }
}

/// Taps [begin, end) of one axis of which some output in [first, last] uses a pixel of the image,
/// where output i has its first tap at i * stride - padding.
struct TapRange {
  std::size_t begin;
  std::size_t end;

  TapRange(const SumacLanesConv& conv, std::size_t first, std::size_t last, std::size_t extent) {
    const std::size_t start = first * conv.stride;
    const std::size_t end_start = last * conv.stride;
    begin = end_start < conv.padding ? conv.padding - end_start : 0;
    end = extent + conv.padding > start ? extent + conv.padding - start : 0;
    if (end > conv.kernel) end = conv.kernel;
    if (begin > end) begin = end;
  }
  std::size_t size() const { return end - begin; }
};

}  // namespace sumac::kernels::lanes
