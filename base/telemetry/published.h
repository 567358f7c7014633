#pragma once

#include <mutex>

namespace sumac {

/// A value that one thread publishes and others read as a whole. For small types that copy without
/// allocating, so that publishing costs a loop next to nothing. Safe from any thread.
template <typename T>
class Published {
 public:
  void set(const T& value) {
    const std::scoped_lock lock(mutex_);
    value_ = value;
  }
  T get() const {
    const std::scoped_lock lock(mutex_);
    return value_;
  }

 private:
  mutable std::mutex mutex_;
  T value_{};  // guarded by mutex_
};

}  // namespace sumac
