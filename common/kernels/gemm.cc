#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "common/kernels/functions.h"
#include "common/kernels/simd.h"

// The only file that is compiled with -ffp-contract=fast: here multiplication and addition are
// meant to melt into one instruction.
//
// Goto's scheme with constant blocks. Every value of c is one chain of additions over k, cut every
// kDepth products, whatever the tile that it lies in: its bits do not depend on m or n.
namespace sumac::kernels {
namespace {

constexpr std::size_t kTileColumns = 2 * kLanes;
constexpr std::size_t kDepth = 256;
constexpr std::size_t kBlockRows = 120;  // a multiple of every kTileRows

// a is packed [depth][kRows], b [depth][kTileColumns].
template <std::size_t kRows, std::size_t kVectors>
void multiplyTile(const float* a, const float* b, std::size_t depth, float* c, std::size_t c_stride,
                  bool accumulate) {
  Vec sums[kRows][kVectors] = {};
  for (std::size_t p = 0; p < depth; ++p) {
    Vec right[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v)
      right[v] = load(b + p * kTileColumns + v * kLanes);
#pragma GCC unroll 12
    for (std::size_t r = 0; r < kRows; ++r) {
      const Vec left = a[p * kRows + r] - Vec{};
#pragma GCC unroll 2
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[r][v] += left * right[v];
    }
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      float* const to = c + r * c_stride + v * kLanes;
      store(to, accumulate ? load(to) + sums[r][v] : sums[r][v]);
    }
  }
}

using TileFunction = void (*)(const float*, const float*, std::size_t, float*, std::size_t, bool);

template <std::size_t... kRows>
constexpr auto tileFunctions(std::index_sequence<kRows...>) {
  return std::array<std::array<TileFunction, 2>, sizeof...(kRows)>{
      {{multiplyTile<kRows + 1, 1>, multiplyTile<kRows + 1, 2>}...}};
}
constexpr auto kTileFunctions = tileFunctions(std::make_index_sequence<kTileRows>{});

struct Buffers {
  alignas(64) float a[kBlockRows * kDepth];
  alignas(64) float b[kTileColumns * kDepth];
  alignas(64) float edge[kTileRows * kTileColumns];
};

struct Block {
  std::size_t begin;
  std::size_t size;
};

void packA(const SumacGemm& g, Block rows, Block depth, float* out) {
  std::size_t height = 0;
  for (std::size_t r = 0; r < rows.size; r += height) {
    height = tileHeight(rows.size - r);
    const std::size_t first = rows.begin + r;
    if (g.transpose_a != 0) {
      for (std::size_t p = 0; p < depth.size; ++p) {
        const float* const from = g.a + (depth.begin + p) * g.a_stride + first;
        for (std::size_t i = 0; i < height; ++i)
          out[p * height + i] = from[i];
      }
    } else {
      for (std::size_t i = 0; i < height; ++i) {
        const float* const from = g.a + (first + i) * g.a_stride + depth.begin;
        for (std::size_t p = 0; p < depth.size; ++p)
          out[p * height + i] = from[p];
      }
    }
    out += height * depth.size;
  }
}

// Columns beyond the matrix become zero.
void packB(const SumacGemm& g, Block depth, Block columns, float* out) {
  if (columns.size < kTileColumns) std::fill_n(out, depth.size * kTileColumns, 0.0F);
  if (g.transpose_b == 0) {
    const float* from = g.b + depth.begin * g.b_stride + columns.begin;
    for (std::size_t p = 0; p < depth.size; ++p) {
      std::memcpy(out + p * kTileColumns, from, columns.size * sizeof(float));
      from += g.b_stride;
    }
    return;
  }
  for (std::size_t j = 0; j < columns.size; ++j) {
    const float* const from = g.b + (columns.begin + j) * g.b_stride + depth.begin;
    for (std::size_t p = 0; p < depth.size; ++p)
      out[p * kTileColumns + j] = from[p];
  }
}

void storeEdge(const float* edge, Block columns, std::size_t height, float* c, std::size_t c_stride,
               bool accumulate) {
  for (std::size_t r = 0; r < height; ++r) {
    for (std::size_t j = 0; j < columns.size; ++j) {
      const float value = edge[r * kTileColumns + j];
      float& to = c[r * c_stride + j];
      to = accumulate ? to + value : value;
    }
  }
}

void multiplyPanel(const SumacGemm& g, const Buffers& packed, float* edge, Block rows, Block depth,
                   Block columns, bool accumulate) {
  const std::size_t vectors = columns.size > kLanes ? 2 : 1;
  const float* a = packed.a;
  std::size_t height = 0;
  for (std::size_t r = 0; r < rows.size; r += height) {
    height = tileHeight(rows.size - r);
    const TileFunction multiply = kTileFunctions[height - 1][vectors - 1];
    float* const c = g.c + (rows.begin + r) * g.c_stride + columns.begin;
    if (columns.size == vectors * kLanes) {
      multiply(a, packed.b, depth.size, c, g.c_stride, accumulate);
    } else {
      multiply(a, packed.b, depth.size, edge, kTileColumns, false);
      storeEdge(edge, columns, height, c, g.c_stride, accumulate);
    }
    a += height * depth.size;
  }
}

}  // namespace

void gemm(const SumacGemm* gemm) {
  const SumacGemm& g = *gemm;
  Buffers buffers;  // 150 kB of stack: a step allocates nothing
  for (std::size_t p = 0; p < g.k; p += kDepth) {
    const Block depth{p, std::min(kDepth, g.k - p)};
    const bool accumulate = g.accumulate != 0 || p > 0;
    for (std::size_t i = 0; i < g.m; i += kBlockRows) {
      const Block rows{i, std::min(kBlockRows, g.m - i)};
      packA(g, rows, depth, buffers.a);
      for (std::size_t j = 0; j < g.n; j += kTileColumns) {
        const Block columns{j, std::min(kTileColumns, g.n - j)};
        packB(g, depth, columns, buffers.b);
        multiplyPanel(g, buffers, buffers.edge, rows, depth, columns, accumulate);
      }
    }
  }
}

}  // namespace sumac::kernels
