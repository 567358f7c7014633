#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "common/base/mutex.h"

namespace sumac::server {

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
    return {values.release(),
            [spare = spare_](Values* returned) { spare->keep(std::unique_ptr<Values>(returned)); }};
  }

 private:
  class Spare {
   public:
    std::unique_ptr<Values> take(std::size_t size) {
      const MutexLock lock(mutex_);
      std::vector<std::unique_ptr<Values>>& kept = kept_[size];
      if (kept.empty()) return nullptr;
      auto values = std::move(kept.back());
      kept.pop_back();
      return values;
    }
    void keep(std::unique_ptr<Values> values) {
      const MutexLock lock(mutex_);
      kept_[values->size()].push_back(std::move(values));
    }

   private:
    Mutex mutex_;
    std::map<std::size_t, std::vector<std::unique_ptr<Values>>> kept_ SUMAC_GUARDED_BY(mutex_);
  };

  std::shared_ptr<Spare> spare_ = std::make_shared<Spare>();
};

}  // namespace sumac::server
