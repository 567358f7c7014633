#pragma once

#include <cstddef>
#include <span>

#include "exchange/sums/buffer_pool.h"

namespace sumac {

/// Memory for the sums of the ranges of one push: side by side, as they travel when the push
/// completes them. Taken when the first is added up. Owned by one thread.
class SumRoom {
 public:
  /// For `size` values. `pool` outlives us.
  SumRoom(BufferPool& pool, std::size_t size) : pool_(&pool), size_(size) {}

  /// Requires a place within the room.
  float* at(std::size_t first) {
    if (!buffer_) buffer_ = pool_->take(size_);
    return &(*buffer_)[first];
  }
  const BufferPool::Buffer& buffer() const { return buffer_; }

 private:
  BufferPool* pool_;
  std::size_t size_;
  BufferPool::Buffer buffer_;
};

}  // namespace sumac
