#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "kernels/functions.h"
#include "kernels/gemm_pack.h"
#include "kernels/simd.h"

// Compiled with -ffp-contract=fast: here multiplication and addition are meant to fuse into one
// instruction.
//
// Goto's scheme with constant blocks. Every value of c is one chain of additions over k, cut every
// kDepth products, whatever the tile that it lies in: its bits do not depend on m or n. b is packed
// into panels of two vectors' width; a is read where it lies, a row's value spread over a vector,
// unless it is transposed: then its columns, which become rows, are packed, too.
namespace sumac::kernels {
namespace {

struct Tile {
  const float* a;
  std::size_t a_stride;  // between rows; unused when packed
  const float* b;
  std::size_t depth;
  float* c;
  std::size_t c_stride;
  const float* bias;  // or null
  bool running;       // c holds the sum of earlier depths
  bool accumulate;    // c grows by the finished value
};

inline Vec finished(const Tile& t, Vec value, const float* c, std::size_t column) {
  if (t.running) value = load(c) + value;
  if (t.bias != nullptr) value += load(t.bias + column);
  if (t.accumulate) value = load(c) + value;
  return value;
}

// a packed is [depth][kRows]; b is [depth][kTileColumns].
template <std::size_t kRows, std::size_t kVectors, bool kPacked>
void multiplyTile(const Tile& t) {
  Vec sums[kRows][kVectors] = {};
  const float* a = t.a;
  const float* b = t.b;
  const std::size_t a_stride = t.a_stride;
  for (std::size_t p = 0; p < t.depth; ++p) {
    addProducts(
        sums, [=](std::size_t r) { return kPacked ? a[p * kRows + r] : a[r * a_stride + p]; },
        [=](std::size_t v) { return load(b + p * kTileColumns + v * kLanes); });
  }
#pragma GCC unroll 12
  for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < kVectors; ++v) {
      float* const to = t.c + r * t.c_stride + v * kLanes;
      store(to, finished(t, sums[r][v], to, v * kLanes));
    }
  }
}

using TileFunction = void (*)(const Tile&);

using TileFunctions = std::array<TileFunction, 2>;  // of one and of two vectors' width

template <bool kPacked, std::size_t... kRows>
constexpr auto tileFunctions(std::index_sequence<kRows...> /*heights*/) {
  return std::array<TileFunctions, sizeof...(kRows)>{
      {{multiplyTile<kRows + 1, 1, kPacked>, multiplyTile<kRows + 1, 2, kPacked>}...}};
}
constexpr std::array kTileFunctions{
    tileFunctions<false>(std::make_index_sequence<kTileRows>{}),
    tileFunctions<true>(std::make_index_sequence<kTileRows>{}),
};

// A tile that reaches beyond the matrix is computed here, with as much of c and bias as there is.
struct Edge {
  alignas(64) float c[kTileRows * kTileColumns];
  alignas(64) float bias[kTileColumns];
};

void multiplyEdge(TileFunction multiply, Tile tile, std::size_t height, std::size_t width) {
  Edge edge;
  float* const c = tile.c;
  const std::size_t c_stride = tile.c_stride;
  tile.c = edge.c;
  tile.c_stride = kTileColumns;
  if (tile.running || tile.accumulate) {
    for (std::size_t r = 0; r < height; ++r)
      copyFew<kTileColumns>(edge.c + r * kTileColumns, c + r * c_stride, width);
  }
  if (tile.bias != nullptr) {
    copyFew<kTileColumns>(edge.bias, tile.bias, width);
    tile.bias = edge.bias;
  }
  multiply(tile);
  for (std::size_t r = 0; r < height; ++r)
    copyFew<kTileColumns>(c + r * c_stride, edge.c + r * kTileColumns, width);
}

// A part of the product, and where it goes: whole or to somewhere beside c.
struct Region {
  Block rows;
  Block columns;
  float* c;
  std::size_t c_stride;
  bool accumulate;
};

// One block of a times one block of b.
struct BlockProduct {
  Block rows;
  Block depth;
  Block columns;
  const float* a;  // packed, or null: where it lies
  const float* b;
};

Tile tileOf(const SumacGemm& g, const Region& region, const BlockProduct& block) {
  Tile tile{};
  tile.a = block.a;
  if (tile.a == nullptr) tile.a = g.a + block.rows.begin * g.a_stride + block.depth.begin;
  tile.a_stride = g.a_stride;
  tile.depth = block.depth.size;
  tile.c_stride = region.c_stride;
  tile.running = block.depth.begin > 0;
  tile.accumulate = region.accumulate;
  return tile;
}

void multiplyTileRow(const TileFunctions& functions, Tile tile, std::size_t height,
                     std::size_t columns) {
  for (std::size_t j = 0; j < columns; j += kTileColumns) {
    const std::size_t width = std::min(kTileColumns, columns - j);
    const std::size_t vectors = width > kLanes ? 2 : 1;
    if (width == vectors * kLanes) {
      functions[vectors - 1](tile);
    } else {
      multiplyEdge(functions[vectors - 1], tile, height, width);
    }
    tile.b += kTileColumns * tile.depth;
    tile.c += kTileColumns;
    if (tile.bias != nullptr) tile.bias += kTileColumns;
  }
}

void multiplyBlock(const SumacGemm& g, const Region& region, const BlockProduct& block) {
  Tile tile = tileOf(g, region, block);
  tile.b = block.b;
  const std::size_t first_column = block.columns.begin - region.columns.begin;
  const bool last = block.depth.begin + block.depth.size == g.k;
  tile.bias = last && g.bias != nullptr ? g.bias + block.columns.begin : nullptr;
  const auto& functions = kTileFunctions[block.a != nullptr ? 1 : 0];
  std::size_t height = 0;
  for (std::size_t r = 0; r < block.rows.size; r += height) {
    height = tileHeight(block.rows.size - r);
    const std::size_t row = block.rows.begin - region.rows.begin + r;
    tile.c = region.c + row * region.c_stride + first_column;
    multiplyTileRow(functions[height - 1], tile, height, block.columns.size);
    tile.a += height * (block.a != nullptr ? block.depth.size : g.a_stride);
  }
}

// 530 kB of stack: a step allocates nothing.
struct Buffers {
  alignas(64) float a[kBlockRows * kDepth];
  alignas(64) float b[kDepth * kBlockColumns];
  alignas(64) float c[kBlockRows * kBlockColumns];
};

void multiplyRows(const SumacGemm& g, const Region& region, BlockProduct block, Buffers& buffers) {
  if (g.transpose_a != 0) {
    packA(g, block.rows, block.depth, buffers.a);
    block.a = buffers.a;
  }
  multiplyBlock(g, region, block);
}

// Packs every block of b once, and uses it for all rows.
void multiplyPacking(const SumacGemm& g, const Region& region, Buffers& buffers) {
  const std::size_t step = g.transpose_a != 0 ? kBlockRows : region.rows.size;
  BlockProduct block{};
  block.b = buffers.b;
  for (std::size_t p = 0; p < g.k; p += kDepth) {
    block.depth = {p, std::min(kDepth, g.k - p)};
    for (std::size_t j = 0; j < region.columns.size; j += kBlockColumns) {
      block.columns = {region.columns.begin + j, std::min(kBlockColumns, region.columns.size - j)};
      packB(g, block.depth, block.columns, buffers.b);
      for (std::size_t i = 0; i < region.rows.size; i += step) {
        block.rows = {region.rows.begin + i, std::min(step, region.rows.size - i)};
        multiplyRows(g, region, block, buffers);
      }
    }
  }
}

// With all of b packed: one block of rows after the other, so that c is touched once.
void multiplyPacked(const SumacGemm& g, const Region& region, const float* b, Buffers& buffers) {
  BlockProduct block{};
  block.columns = region.columns;
  for (std::size_t i = 0; i < region.rows.size; i += kBlockRows) {
    block.rows = {region.rows.begin + i, std::min(kBlockRows, region.rows.size - i)};
    for (std::size_t p = 0; p < g.k; p += kDepth) {
      block.depth = {p, std::min(kDepth, g.k - p)};
      block.b = b + p * paddedColumns(g.n) + region.columns.begin * block.depth.size;
      multiplyRows(g, region, block, buffers);
    }
  }
}

void multiplyRegion(const SumacGemm& g, const Region& region, const float* packed,
                    Buffers& buffers) {
  if (packed == nullptr) {
    multiplyPacking(g, region, buffers);
  } else {
    multiplyPacked(g, region, packed, buffers);
  }
}

// c grows by the finished product in one addition, though its chain is cut: it is finished beside
// c, block by block.
void multiplyBeside(const SumacGemm& g, const float* packed, Buffers& buffers) {
  for (std::size_t i = 0; i < g.m; i += kBlockRows) {
    for (std::size_t j = 0; j < g.n; j += kBlockColumns) {
      const Region region{{i, std::min(kBlockRows, g.m - i)},
                          {j, std::min(kBlockColumns, g.n - j)},
                          buffers.c,
                          kBlockColumns,
                          false};
      multiplyRegion(g, region, packed, buffers);
      for (std::size_t r = 0; r < region.rows.size; ++r) {
        float* const to = g.c + (i + r) * g.c_stride + j;
        add(to, to, buffers.c + r * kBlockColumns, region.columns.size);
      }
    }
  }
}

void multiply(const SumacGemm& g, const float* packed) {
  Buffers buffers;
  if (g.accumulate != 0 && g.k > kDepth) {
    multiplyBeside(g, packed, buffers);
    return;
  }
  multiplyRegion(g, {{0, g.m}, {0, g.n}, g.c, g.c_stride, g.accumulate != 0}, packed, buffers);
}

}  // namespace

void gemm(const SumacGemm* gemm) {
  multiply(*gemm, nullptr);
}

std::size_t gemmPackedSize(std::size_t k, std::size_t n) {
  return k * paddedColumns(n);
}

void gemmPack(const SumacGemm* gemm, float* packed) {
  for (std::size_t p = 0; p < gemm->k; p += kDepth) {
    packB(*gemm, {p, std::min(kDepth, gemm->k - p)}, {0, gemm->n},
          packed + p * paddedColumns(gemm->n));
  }
}

void gemmPacked(const SumacGemm* gemm, const float* packed) {
  multiply(*gemm, packed);
}

}  // namespace sumac::kernels
