#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/kernel_table.h"
#include "kernels/simd.h"

// What the kernels of the lanes layout share: a pixel is one vector, the same pixel of kLanes
// samples.
namespace sumac::kernels::lanes {

using Bytes [[gnu::vector_size(kLanes)]] = std::uint8_t;

inline Bytes loadBytes(const std::uint8_t* from) {
  Bytes value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

inline void storeBytes(std::uint8_t* to, const Bytes& value) {
  std::memcpy(to, &value, sizeof(value));
}

template <std::size_t kWidth, std::size_t... kLane>
inline Vec shiftedDown(const Vec& value, std::index_sequence<kLane...> /*lanes*/) {
  return __builtin_shufflevector(value, value, (kLane + kWidth)...);
}

/// The sum of all lanes along a fixed tree: i and i + n/2, then i and i + n/4 of those.
template <std::size_t kWidth = kLanes / 2>
inline float sumOfLanes(const Vec& value) {
  const Vec sum = value + shiftedDown<kWidth>(value, std::make_index_sequence<kLanes>{});
  if constexpr (kWidth == 1) {
    return sum[0];
  } else {
    return sumOfLanes<kWidth / 2>(sum);
  }
}

// Distances in floats.
inline std::size_t rowOf(const SumacImage& image) {
  return (image.columns + 2 * image.border) * kLanes;
}
inline std::size_t planeOf(const SumacImage& image) {
  return (image.rows + 2 * image.border) * rowOf(image);
}
/// From the block's begin to the first channel's first pixel.
inline std::size_t originOf(const SumacImage& image) {
  return image.border * (rowOf(image) + kLanes);
}

/// [0, n) cut into as few pieces of at most `most` as possible, as alike as possible.
struct Tiles {
  std::size_t n;
  std::size_t count;

  Tiles(std::size_t size, std::size_t most) : n(size), count((size + most - 1) / most) {}
  std::size_t begin(std::size_t tile) const { return n * tile / count; }
  std::size_t size(std::size_t tile) const { return begin(tile + 1) - begin(tile); }
};

}  // namespace sumac::kernels::lanes
