#pragma once

#include <cstddef>
#include <span>

#include "server/store/buffer_pool.h"

namespace sumac::server {

/// Memory for the sums of the ranges of one push: side by side, as they travel when the push
/// completes them. Taken when the first is added up, unless there is a place for them. Owned by one
/// thread.
class SumRoom {
 public:
  /// For `size` values. `pool` outlives us.
  SumRoom(BufferPool& pool, std::size_t size) : pool_(&pool), size_(size) {}
  /// From now on the sums go to `place`, which has room for them and outlives them; null: as
  /// before.
  void writeTo(float* place) { place_ = place; }

  /// Requires a place within the room.
  float* at(std::size_t first) {
    if (place_ != nullptr) return place_ + first;
    if (!buffer_) buffer_ = pool_->take(size_);
    return &(*buffer_)[first];
  }
  /// Keeps them; null where they have another place.
  const BufferPool::Buffer& buffer() const { return buffer_; }

 private:
  BufferPool* pool_;
  std::size_t size_;
  float* place_ = nullptr;
  BufferPool::Buffer buffer_;
};

}  // namespace sumac::server
