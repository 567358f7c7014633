#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>

#include "common/base/clock.h"
#include "operator/control/work_queue.h"

namespace sumac::control {

/// The work queue between watchers, which add, and workers, which take. Safe from any thread.
class BlockingQueue {
 public:
  using Key = WorkQueue::Key;

  explicit BlockingQueue(const Clock& clock) : clock_(clock) {}

  void add(const Key& key);
  void addAfter(const Key& key, Duration wait);
  void addAfterFailure(const Key& key);
  void forgetFailures(const Key& key);

  /// Waits for a key that is due. Nothing: stop was requested.
  std::optional<Key> take(const std::stop_token& stop);
  void done(const Key& key);

  std::size_t depth() const;
  std::size_t delayed() const;
  /// Since the start, for metrics.
  std::uint64_t adds() const { return adds_.load(std::memory_order_relaxed); }
  std::uint64_t retries() const { return retries_.load(std::memory_order_relaxed); }

 private:
  const Clock& clock_;  // outlives us

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  WorkQueue queue_;  // guarded by mutex_

  std::atomic<std::uint64_t> adds_ = 0;
  std::atomic<std::uint64_t> retries_ = 0;
};

}  // namespace sumac::control
