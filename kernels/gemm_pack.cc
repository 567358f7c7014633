#include "kernels/gemm_pack.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sumac::kernels {
namespace {

/// Calls work(row, count) for rows of a and b that follow each other: together `depth` of the sum.
template <typename Work>
[[gnu::always_inline]] inline void forEachRun(const SumacGemm& g, Block depth, const Work& work) {
  if (g.run == 0) {
    work(depth.begin, depth.size);
    return;
  }
  std::size_t row = depth.begin + depth.begin / g.run * g.skip;
  std::size_t run = g.run - depth.begin % g.run;
  for (std::size_t left = depth.size; left > 0;) {
    run = std::min(run, left);
    work(row, run);
    row += run + g.skip;
    left -= run;
    run = g.run;
  }
}

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
  forEachRun(g, depth, [&](std::size_t row, std::size_t count) {
    const float* from = g.b + row * g.b_stride + columns.begin;
    for (std::size_t p = 0; p < count; ++p, from += g.b_stride, out += kTileColumns) {
      if (columns.size == kTileColumns) {
        store(out, load(from));
        store(out + kLanes, load(from + kLanes));
      } else {
        store(out, Vec{});
        store(out + kLanes, Vec{});
        copyFew<kTileColumns>(out, from, columns.size);
      }
    }
  });
}

/// One tile: kHeight rows of a from `first` on.
template <std::size_t kHeight>
void packTile(const SumacGemm& g, std::size_t first, Block depth, float* out) {
  forEachRun(g, depth, [&](std::size_t row, std::size_t count) {
    const float* from = g.a + row * g.a_stride + first;
    for (std::size_t p = 0; p < count; ++p, from += g.a_stride, out += kHeight)
      std::memcpy(out, from, kHeight * sizeof(float));
  });
}

using PackFunction = void (*)(const SumacGemm&, std::size_t, Block, float*);

template <std::size_t... kHeight>
constexpr auto packFunctions(std::index_sequence<kHeight...> /*heights*/) {
  return std::array<PackFunction, sizeof...(kHeight)>{packTile<kHeight + 1>...};
}
constexpr auto kPackFunctions = packFunctions(std::make_index_sequence<kTileRows>{});

}  // namespace

void packA(const SumacGemm& g, Block rows, Block depth, float* out) {
  std::size_t height = 0;
  for (std::size_t r = 0; r < rows.size; r += height) {
    height = tileHeight(rows.size - r);
    kPackFunctions[height - 1](g, rows.begin + r, depth, out);
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
