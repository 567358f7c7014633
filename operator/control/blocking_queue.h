#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "base/core/clock.h"
#include "base/core/mutex.h"
#include "operator/control/work_queue.h"

namespace sumac::control {

/// The work queue between watchers, which add keys, and workers, which take them. Safe from any
/// thread.
class BlockingQueue {
 public:
  using Key = WorkQueue::Key;

  /// `workers`: how many threads take keys that namespaces share fairly; kUnshared: unfairly.
  explicit BlockingQueue(const Clock& clock, int workers = WorkQueue::kUnshared)
      : clock_(clock), queue_(workers) {}

  void add(const Key& key);
  void addAfter(const Key& key, Duration wait);
  void addAfterFailure(const Key& key);
  void forgetFailures(const Key& key);

  /// Waits for a key that is due. Empty: stop was requested.
  std::optional<Key> take(const std::stop_token& stop);
  void done(const Key& key);

  std::size_t depth() const;
  std::size_t delayed() const;
  /// Totals since the start, for metrics.
  std::uint64_t adds() const { return adds_.load(std::memory_order_relaxed); }
  std::uint64_t retries() const { return retries_.load(std::memory_order_relaxed); }

 private:
  const Clock& clock_;  // outlives us

  mutable Mutex mutex_;
  Condition changed_;
  WorkQueue queue_ SUMAC_GUARDED_BY(mutex_);

  std::atomic<std::uint64_t> adds_ = 0;
  std::atomic<std::uint64_t> retries_ = 0;
};

}  // namespace sumac::control
