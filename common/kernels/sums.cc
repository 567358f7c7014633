#include <algorithm>
#include <array>
#include <bit>

#include <Eigen/Core>

#include "common/kernels/functions.h"

namespace sumac::kernels {
namespace {

using Values = Eigen::Map<Eigen::ArrayXf>;
using ConstValues = Eigen::Map<const Eigen::ArrayXf>;

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
  const auto size = static_cast<Eigen::Index>(n);
  Values(out, size) = ConstValues(a, size) + ConstValues(b, size);
}

double sumOfSquares(const float* x, std::size_t n) {
  if (n <= kBlock) return blockSumOfSquares(x, n);
  const std::size_t blocks = (n + kBlock - 1) / kBlock;
  const std::size_t left = std::bit_floor(blocks - 1) * kBlock;
  return sumOfSquares(x, left) + sumOfSquares(x + left, n - left);
}

void sumRows(float* out, const float* x, std::size_t stride, std::size_t rows, std::size_t columns,
             int accumulate) {
  constexpr Eigen::Index kPanel = 128;  // sums that stay in registers
  const auto all = static_cast<Eigen::Index>(columns);
  for (Eigen::Index j = 0; j < all; j += kPanel) {
    const Eigen::Index width = std::min(kPanel, all - j);
    Eigen::Array<float, kPanel, 1> sums = Eigen::Array<float, kPanel, 1>::Zero();
    const float* row = x + j;
    if (width == kPanel) {
      for (std::size_t i = 0; i < rows; ++i, row += stride)
        sums += Eigen::Map<const Eigen::Array<float, kPanel, 1>>(row);
    } else {
      for (std::size_t i = 0; i < rows; ++i, row += stride)
        sums.head(width) += ConstValues(row, width);
    }
    Values result(out + j, width);
    if (accumulate != 0) {
      result += sums.head(width);
    } else {
      result = sums.head(width);
    }
  }
}

}  // namespace sumac::kernels
