#include "common/kernels/gemm_pack.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sumac::kernels {
namespace {

// out[p][j] = from[j][p] for one vector's width of j; columns beyond `columns` become zero.
void packTransposed(const float* from, std::size_t stride, std::size_t columns, std::size_t depth,
                    float* out) {
  std::size_t p = 0;
  for (; p + kLanes <= depth; p += kLanes) {
    Vec square[kLanes] = {};
    if (columns == kLanes) {
#pragma GCC unroll 16
      for (std::size_t j = 0; j < kLanes; ++j)
        square[j] = load(from + j * stride + p);
    } else {
      for (std::size_t j = 0; j < columns; ++j)
        square[j] = load(from + j * stride + p);
    }
    transpose(square);
#pragma GCC unroll 16
    for (std::size_t i = 0; i < kLanes; ++i)
      store(out + (p + i) * kTileColumns, square[i]);
  }
  for (; p < depth; ++p) {
    std::fill_n(out + p * kTileColumns, kLanes, 0.0F);
    for (std::size_t j = 0; j < columns; ++j)
      out[p * kTileColumns + j] = from[j * stride + p];
  }
}

void packPanel(const SumacGemm& g, Block depth, Block columns, float* out) {
  if (g.transpose_b != 0) {
    const float* const from = g.b + columns.begin * g.b_stride + depth.begin;
    const std::size_t first = std::min(columns.size, kLanes);
    packTransposed(from, g.b_stride, first, depth.size, out);
    packTransposed(from + first * g.b_stride, g.b_stride, columns.size - first, depth.size,
                   out + kLanes);
    return;
  }
  const float* from = g.b + depth.begin * g.b_stride + columns.begin;
  for (std::size_t p = 0; p < depth.size; ++p, from += g.b_stride, out += kTileColumns) {
    if (columns.size == kTileColumns) {
      store(out, load(from));
      store(out + kLanes, load(from + kLanes));
    } else {
      store(out, Vec{});
      store(out + kLanes, Vec{});
      copyFew<kTileColumns>(out, from, columns.size);
    }
  }
}

template <std::size_t kHeight>
void packRuns(const float* from, std::size_t stride, std::size_t depth, float* out) {
  for (std::size_t p = 0; p < depth; ++p)
    std::memcpy(out + p * kHeight, from + p * stride, kHeight * sizeof(float));
}

using RunsFunction = void (*)(const float*, std::size_t, std::size_t, float*);

template <std::size_t... kHeight>
constexpr auto runsFunctions(std::index_sequence<kHeight...> /*heights*/) {
  return std::array<RunsFunction, sizeof...(kHeight)>{packRuns<kHeight + 1>...};
}
constexpr auto kRunsFunctions = runsFunctions(std::make_index_sequence<kTileRows>{});

}  // namespace

void packA(const SumacGemm& g, Block rows, Block depth, float* out) {
  std::size_t height = 0;
  for (std::size_t r = 0; r < rows.size; r += height) {
    height = tileHeight(rows.size - r);
    const float* const from = g.a + depth.begin * g.a_stride + rows.begin + r;
    kRunsFunctions[height - 1](from, g.a_stride, depth.size, out);
    out += height * depth.size;
  }
}

void packB(const SumacGemm& g, Block depth, Block columns, float* out) {
  for (std::size_t j = 0; j < columns.size; j += kTileColumns) {
    const std::size_t width = std::min(kTileColumns, columns.size - j);
    packPanel(g, depth, {columns.begin + j, width}, out);
    out += depth.size * kTileColumns;
  }
}

}  // namespace sumac::kernels
