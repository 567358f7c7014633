#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/core/clock.h"

namespace sumac::cli {

/// A queue from several threads to one. Safe from any thread.
template <typename T>
class Inbox {
 public:
  void put(T item) {
    {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }
    changed_.notify_all();
  }

  /// Waits for the next one; nothing when `stop` is requested or `deadline` has passed.
  std::optional<T> take(const std::stop_token& stop,
                        std::optional<TimePoint> deadline = std::nullopt) {
    std::unique_lock lock(mutex_);
    const auto is_there = [this] { return !items_.empty(); };
    const bool is_item = deadline ? changed_.wait_until(lock, stop, *deadline, is_there)
                                  : changed_.wait(lock, stop, is_there);
    if (!is_item) return std::nullopt;
    T item = std::move(items_.front());
    items_.pop_front();
    return item;
  }

 private:
  std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  std::deque<T> items_;
};

}  // namespace sumac::cli
