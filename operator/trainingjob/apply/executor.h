#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "base/core/mutex.h"

namespace sumac::trainingjob {

/// Threads that send requests for passes in parallel. The thread of a pass works too instead of
/// waiting, so the number of requests in flight is at most the threads plus the running passes.
class Executor {
 public:
  using Task = std::function<void()>;

  /// 0 threads: each caller works alone.
  explicit Executor(int threads);
  /// Requires that no thread is in runAll().
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Runs all tasks, in any order, and returns when all are done. If tasks threw, it then throws
  /// one of these exceptions. Safe from any thread but ours.
  void runAll(const std::vector<Task>& tasks);

 private:
  struct Batch;
  void work(const std::stop_token& stop);
  /// Takes the next task of a batch that has one.
  const Task& begin(Batch& batch) SUMAC_REQUIRES(mutex_);
  void end(Batch& batch, const std::exception_ptr& failure) SUMAC_REQUIRES(mutex_);

  Mutex mutex_;
  Condition has_work_;
  Condition is_done_;
  std::deque<Batch*> queue_ SUMAC_GUARDED_BY(mutex_);  // batches with tasks that have not begun
  std::vector<std::jthread> threads_;                  // last: they use all of the above
};

}  // namespace sumac::trainingjob
