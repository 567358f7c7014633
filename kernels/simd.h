#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

// What the files that compute with vectors share: one of the variant's width, and the tiles of rows
// whose sums fit its registers.
namespace sumac::kernels {

#if defined(__AVX512F__)
inline constexpr std::size_t kLanes = 16;
inline constexpr std::size_t kTileRows = 12;
#elif defined(__AVX2__)
inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kTileRows = 6;
#else
inline constexpr std::size_t kLanes = 4;
inline constexpr std::size_t kTileRows = 6;
#endif

using Vec [[gnu::vector_size(kLanes * sizeof(float))]] = float;

inline Vec load(const float* from) {
  Vec value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

inline void store(float* to, const Vec& value) {
  std::memcpy(to, &value, sizeof(value));
}

/// sums[r][p] += left(r) * right(p), where left gives a value and right a vector: one step of a
/// tile's products. The sums stay in registers; each of their values is one chain of additions.
template <std::size_t kRows, std::size_t kVectors, typename Left, typename Right>
[[gnu::always_inline]] inline void addProducts(Vec (&sums)[kRows][kVectors], const Left& left,
                                               const Right& right) {
  Vec values[kVectors];
#pragma GCC unroll 8
  for (std::size_t p = 0; p < kVectors; ++p)
    values[p] = right(p);
#pragma GCC unroll 16
  for (std::size_t r = 0; r < kRows; ++r) {
    const Vec factor = left(r) - Vec{};
#pragma GCC unroll 8
    for (std::size_t p = 0; p < kVectors; ++p)
      sums[r][p] += factor * values[p];
  }
}

template <std::size_t kWidth, std::size_t... kLane>
[[gnu::always_inline]] inline void exchangeLanes(Vec& low, Vec& high,
                                                 std::index_sequence<kLane...> /*lanes*/) {
  const Vec a = low;
  const Vec b = high;
  low = __builtin_shufflevector(a, b, ((kLane & kWidth) == 0 ? kLane : kLanes + kLane - kWidth)...);
  high =
      __builtin_shufflevector(a, b, ((kLane & kWidth) == 0 ? kLane + kWidth : kLanes + kLane)...);
}

/// rows[i][j] becomes rows[j][i]: squares of kWidth change places, then those inside them.
template <std::size_t kWidth = kLanes / 2>
[[gnu::always_inline]] inline void transpose(Vec (&rows)[kLanes]) {
#pragma GCC unroll 16
  for (std::size_t i = 0; i < kLanes; ++i) {
    if ((i & kWidth) == 0) {
      exchangeLanes<kWidth>(rows[i], rows[i + kWidth], std::make_index_sequence<kLanes>{});
    }
  }
  if constexpr (kWidth > 1) transpose<kWidth / 2>(rows);
}

/// Copies n < kLimit values by a few copies of fixed size: a call of memcpy takes longer. Requires
/// a power of two.
template <std::size_t kLimit>
inline void copyFew(float* to, const float* from, std::size_t n) {
  constexpr std::size_t kPiece = kLimit / 2;
  if constexpr (kPiece > 0) {
    if ((n & kPiece) != 0) {
      std::memcpy(to, from, kPiece * sizeof(float));
      to += kPiece;
      from += kPiece;
    }
    copyFew<kPiece>(to, from, n);
  }
}

/// Height of the next tile when tiles lie one below the other, each as tall as its neighbours or
/// one less.
inline std::size_t tileHeight(std::size_t rows_left) {
  const std::size_t tiles = (rows_left + kTileRows - 1) / kTileRows;
  return (rows_left + tiles - 1) / tiles;
}

}  // namespace sumac::kernels
