#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/core/mutex.h"

namespace sumac {

/// Reused memory for sums. One who sums needs the same sizes in every step, and half a megabyte of
/// fresh memory costs a page fault per 4 KiB. Keeps as much as was ever in use at once.
///
/// Messages refer to sums: so any thread may drop the last reference to a buffer, which then comes
/// back, even when the pool is gone. take() is for one thread.
class BufferPool {
 public:
  using Values = std::vector<float>;
  using Buffer = std::shared_ptr<Values>;

  /// A buffer of `size` unspecified values.
  Buffer take(std::size_t size) {
    auto values = spare_->take(size);
    if (!values) values = std::make_unique<Values>(size);
    return {values.release(), [spare = spare_](Values* returned) noexcept {
              spare->keep(std::unique_ptr<Values>(returned));
            }};
  }

 private:
  class Spare {
   public:
    /// Null: there is none, and another one may be made.
    std::unique_ptr<Values> take(std::size_t size) {
      const MutexLock lock(mutex_);
      OfSize& here = of_size_[size];
      if (here.kept.empty()) {
        here.kept.reserve(here.made + 1);
        ++here.made;
        return nullptr;
      }
      auto values = std::move(here.kept.back());
      here.kept.pop_back();
      return values;
    }
    /// There is a place for each that was made: it need not allocate, and so cannot fail.
    void keep(std::unique_ptr<Values> values) noexcept {
      const MutexLock lock(mutex_);
      of_size_.find(values->size())->second.kept.push_back(std::move(values));
    }

   private:
    struct OfSize {
      std::vector<std::unique_ptr<Values>> kept;
      std::size_t made = 0;
    };

    Mutex mutex_;
    std::map<std::size_t, OfSize> of_size_ SUMAC_GUARDED_BY(mutex_);
  };

  std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();
};

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
