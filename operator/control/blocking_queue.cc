#include "operator/control/blocking_queue.h"

namespace sumac::control {

void BlockingQueue::add(const Key& key) {
  adds_.fetch_add(1, std::memory_order_relaxed);
  {
    const MutexLock lock(mutex_);
    queue_.add(key);
  }
  changed_.notifyOne();
}

// A thread that waits for a later key must look again: this one may be due earlier.
void BlockingQueue::addAfter(const Key& key, Duration wait) {
  {
    const MutexLock lock(mutex_);
    queue_.addAfter(key, clock_.now() + wait);
  }
  changed_.notifyOne();
}

void BlockingQueue::addAfterFailure(const Key& key) {
  retries_.fetch_add(1, std::memory_order_relaxed);
  {
    const MutexLock lock(mutex_);
    queue_.addAfterFailure(key, clock_.now());
  }
  changed_.notifyOne();
}

void BlockingQueue::forgetFailures(const Key& key) {
  const MutexLock lock(mutex_);
  queue_.forgetFailures(key);
}

std::optional<BlockingQueue::Key> BlockingQueue::take(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    if (auto key = queue_.take(clock_.now())) {
      // Another thread may be waiting for a later key, or for none at all: the notification of the
      // next key may have gone to this thread, which is busy from now on.
      if (queue_.nextDue()) changed_.notifyOne();
      return key;
    }
    if (const auto due = queue_.nextDue()) {
      changed_.waitUntil(lock, stop, *due);
    } else {
      changed_.wait(lock, stop);
    }
  }
  return std::nullopt;
}

void BlockingQueue::done(const Key& key) {
  {
    const MutexLock lock(mutex_);
    queue_.done(key, clock_.now());
  }
  changed_.notifyOne();  // the key may be due again, or its namespace may have a worker
}

std::size_t BlockingQueue::depth() const {
  const MutexLock lock(mutex_);
  return queue_.depth();
}

std::size_t BlockingQueue::delayed() const {
  const MutexLock lock(mutex_);
  return queue_.delayed();
}

}  // namespace sumac::control
