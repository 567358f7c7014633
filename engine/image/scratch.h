#pragma once

#include <algorithm>
#include <cstddef>

#include "engine/nn/arena.h"

namespace sumac::worker::image {

/// Memory for what operations need only while they run: one after the other uses all of it, so that
/// it is as large as the neediest wants, not as all together. Owned by an engine, which reserves it
/// when all operations are made.
class Scratch {
 public:
  /// Where one operation's pieces lie. It finds there what others left.
  class Layout {
   public:
    /// Returns where the piece begins, in floats.
    std::size_t reserve(std::size_t floats) {
      constexpr std::size_t kStep = 16;  // 64 bytes, as the arena's pieces
      const std::size_t begin = size_;
      size_ += (floats + kStep - 1) / kStep * kStep;
      return begin;
    }
    std::size_t size() const { return size_; }

   private:
    std::size_t size_ = 0;
  };

  explicit Scratch(Arena& arena) : arena_(arena) {}

  void admit(const Layout& layout) { size_ = std::max(size_, layout.size()); }
  void reserve() { piece_ = arena_.reserve(static_cast<std::int64_t>(size_)); }

  /// Requires that the arena was built.
  float* at(std::size_t offset) { return arena_.at(piece_) + offset; }

 private:
  Arena& arena_;  // outlives us
  std::size_t size_ = 0;
  Arena::Piece piece_ = 0;
};

}  // namespace sumac::worker::image
