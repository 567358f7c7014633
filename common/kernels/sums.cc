#include <algorithm>
#include <array>
#include <bit>

#include "common/kernels/functions.h"
#include "common/kernels/loops.h"

namespace sumac::kernels {
namespace {

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kLanes = 16;  // of every variant: the order of additions must not follow it

double blockSumOfSquares(const float* x, std::size_t n) {
  std::array<double, kLanes> lanes{};
  const std::size_t whole = n / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const auto value = static_cast<double>(x[i + lane]);
      lanes[lane] += value * value;
    }
  }
  for (std::size_t i = whole; i < n; ++i) {
    const auto value = static_cast<double>(x[i]);
    lanes[i - whole] += value * value;
  }
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane)
      lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

}  // namespace

void add(float* out, const float* a, const float* b, std::size_t n) {
  SUMAC_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i)
    out[i] = a[i] + b[i];
}

double sumOfSquares(const float* x, std::size_t n) {
  if (n <= kBlock) return blockSumOfSquares(x, n);
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  const std::size_t left = std::bit_floor(blocks - 1) * kBlock;
  return sumOfSquares(x, left) + sumOfSquares(x + left, n - left);
}

void sumRows(float* out, const float* x, std::size_t stride, std::size_t rows, std::size_t columns,
             int accumulate) {
  constexpr std::size_t kPanel = 128;  // sums that stay in registers
  for (std::size_t j = 0; j < columns; j += kPanel) {
    const std::size_t width = std::min(kPanel, columns - j);
    std::array<float, kPanel> sums{};
    if (width == kPanel) {
      for (std::size_t i = 0; i < rows; ++i)
        add(sums.data(), sums.data(), x + i * stride + j, kPanel);
    } else {
      for (std::size_t i = 0; i < rows; ++i)
        add(sums.data(), sums.data(), x + i * stride + j, width);
    }
    if (accumulate != 0) {
      add(out + j, out + j, sums.data(), width);
    } else {
      std::copy_n(sums.data(), width, out + j);
    }
  }
}

}  // namespace sumac::kernels
