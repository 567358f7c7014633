#pragma once

#include <cstddef>
#include <cstdint>

#include "common/tensor/aligned_buffer.h"

namespace sumac::worker {

/// Memory that is divided once, before the first step, so that no step allocates: every piece is
/// reserved, then build() makes them all. Pieces begin at multiples of 64 bytes, so that no bit
/// depends on where one lies.
class Arena {
 public:
  /// A piece: where it begins, in floats.
  using Piece = std::size_t;

  /// Requires that build() was not called yet.
  Piece reserve(std::int64_t floats);
  void build();

  /// Requires build().
  float* at(Piece piece) { return memory_.data() + piece; }
  /// The same memory for indices, which are as wide.
  std::int32_t* indicesAt(Piece piece);

 private:
  std::size_t size_ = 0;
  AlignedBuffer memory_;
};

}  // namespace sumac::worker
