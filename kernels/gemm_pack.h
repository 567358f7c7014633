#pragma once

#include <cstddef>
#include <cstring>

#include "kernels/kernel_table.h"
#include "kernels/simd.h"

// How a matrix product's operands lie while it computes. Owned by gemm.cc.
namespace sumac::kernels {

inline constexpr std::size_t kTileColumns = 2 * kLanes;
inline constexpr std::size_t kDepth = 256;
inline constexpr std::size_t kBlockRows = 132;     // a multiple of every kTileRows
inline constexpr std::size_t kBlockColumns = 256;  // a multiple of every kTileColumns

struct Block {
  std::size_t begin;
  std::size_t size;
};

/// What n columns of b take when they are packed: whole panels.
inline std::size_t paddedColumns(std::size_t n) {
  return (n + kTileColumns - 1) / kTileColumns * kTileColumns;
}

/// Rows of a transposed a as tiles, one below the other: [tile][depth][tileHeight()].
void packA(const SumacGemm& g, Block rows, Block depth, float* out);

/// Columns of b as panels: [panel][depth][kTileColumns]; columns beyond the matrix become zero.
void packB(const SumacGemm& g, Block depth, Block columns, float* out);

}  // namespace sumac::kernels
