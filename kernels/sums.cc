#include <algorithm>
#include <array>
#include <bit>

#include <Eigen/Core>

#include "kernels/functions.h"

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

constexpr std::size_t kPanel = 128;  // sums that stay in registers

/// The sums of the kColumns columns from j on, each one chain of additions.
template <std::size_t kColumns>
void sumColumns(float* out, const SumacRows& rows, std::size_t j, bool accumulate) {
  using Sums = Eigen::Array<float, kColumns, 1>;
  Sums sums = Sums::Zero();
  const float* row = rows.x + j;
  for (std::size_t left = rows.count; left > 0;) {
    const std::size_t run = rows.run == 0 ? left : std::min(rows.run, left);
    for (std::size_t i = 0; i < run; ++i, row += rows.stride)
      sums += Eigen::Map<const Sums>(row);
    row += rows.skip * rows.stride;
    left -= run;
  }
  Eigen::Map<Sums> result(out + j);
  result = accumulate ? (result + sums).eval() : sums;
}

/// The same for n < 2 kColumns columns, by powers of two. Requires a power of two.
template <std::size_t kColumns>
void sumFewColumns(float* out, const SumacRows& rows, std::size_t j, std::size_t n,
                   bool accumulate) {
  if constexpr (kColumns > 0) {
    if ((n & kColumns) != 0) {
      sumColumns<kColumns>(out, rows, j, accumulate);
      j += kColumns;
    }
    sumFewColumns<kColumns / 2>(out, rows, j, n, accumulate);
  }
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

void sumRows(float* out, const SumacRows* rows, std::size_t columns, int accumulate) {
  const SumacRows of = *rows;
  std::size_t j = 0;
  for (; j + kPanel <= columns; j += kPanel)
    sumColumns<kPanel>(out, of, j, accumulate != 0);
  sumFewColumns<kPanel / 2>(out, of, j, columns - j, accumulate != 0);
}

}  // namespace sumac::kernels
