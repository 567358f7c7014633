#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/aligned_buffer.h"

namespace sumac::worker {

/// Memory that is divided once, before the first step, so that no step allocates: every piece is
/// reserved, then build() allocates them all. Pieces begin at multiples of 64 bytes, so that no bit
/// depends on where one lies. All is zero at first.
class Arena {
 public:
  /// A piece: where it begins, in floats.
  using Piece = std::size_t;

  /// Throws std::length_error, which says what to lower, when all pieces together are more than any
  /// machine has. Requires that build() was not called yet.
  Piece reserve(std::int64_t floats);
  void build();

  /// What build() allocates for the pieces reserved so far.
  std::uint64_t bytes() const { return size_ * sizeof(float); }

  /// Requires build().
  float* at(Piece piece) { return memory_.data() + piece; }
  /// The same memory for indices, which are as wide.
  std::int32_t* indicesAt(Piece piece);
  /// The same memory for bytes, four in the place of a float.
  std::uint8_t* bytesAt(Piece piece) { return reinterpret_cast<std::uint8_t*>(at(piece)); }

 private:
  std::size_t size_ = 0;
  bool is_built_ = false;
  AlignedBuffer memory_;
};

}  // namespace sumac::worker
