#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace sumac::trainingjob {

/// Threads that help passes to send their requests: so many are in flight at once, and one more for
/// each pass, whose own thread works too instead of waiting.
class Executor {
 public:
  /// 0 threads: each caller works alone.
  explicit Executor(int threads);
  /// Requires that nobody is in runAll().
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  /// Runs all tasks, in any order, and returns when the last one is done; then what one of them
  /// threw, if any did. Safe from any thread that is not one of ours.
  void runAll(const std::vector<std::function<void()>>& tasks);

 private:
  struct Batch;
  void work(const std::stop_token& stop);
  /// Runs the next task of a batch that has one; wants the lock to be held, and lets it go
  /// meanwhile.
  void runNext(Batch& batch, std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;  // guards queue_ and the batches in it
  std::condition_variable_any has_work_;
  std::condition_variable is_done_;
  std::deque<Batch*> queue_;           // those with tasks that nobody has begun
  std::vector<std::jthread> threads_;  // last: they use all above
};

}  // namespace sumac::trainingjob
