#include "operator/control/blocking_queue.h"

namespace sumac::control {

void BlockingQueue::add(const Key& key) {
  adds_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    queue_.add(key);
  }
  changed_.notify_one();
}

// Whoever waits for a later time must look again: this one may be earlier.
void BlockingQueue::addAfter(const Key& key, Duration wait) {
  {
    const std::lock_guard lock(mutex_);
    queue_.addAfter(key, clock_.now() + wait);
  }
  changed_.notify_one();
}

void BlockingQueue::addAfterFailure(const Key& key) {
  retries_.fetch_add(1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    queue_.addAfterFailure(key, clock_.now());
  }
  changed_.notify_one();
}

void BlockingQueue::forgetFailures(const Key& key) {
  const std::lock_guard lock(mutex_);
  queue_.forgetFailures(key);
}

std::optional<BlockingQueue::Key> BlockingQueue::take(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (auto key = queue_.take(clock_.now())) {
      // Whoever waits may know of a later time only, or of none: this thread, busy from now on, may
      // have been the one that was told of the next key.
      if (queue_.nextDue()) changed_.notify_one();
      return key;
    }
    const auto has_work = [this] {
      const auto due = queue_.nextDue();
      return due && *due <= clock_.now();
    };
    const auto due = queue_.nextDue();
    if (due) {
      changed_.wait_until(lock, stop, *due, [&] {
        // A new, earlier time ends this wait too: it is then taken up again with that time.
        return has_work() || queue_.nextDue() < due;
      });
    } else {
      changed_.wait(lock, stop, [&] { return queue_.nextDue().has_value(); });
    }
  }
  return std::nullopt;
}

void BlockingQueue::done(const Key& key) {
  {
    const std::lock_guard lock(mutex_);
    queue_.done(key);
  }
  changed_.notify_one();  // it may be due again
}

std::size_t BlockingQueue::depth() const {
  const std::lock_guard lock(mutex_);
  return queue_.depth();
}

std::size_t BlockingQueue::delayed() const {
  const std::lock_guard lock(mutex_);
  return queue_.delayed();
}

}  // namespace sumac::control
