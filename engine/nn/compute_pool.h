#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <thread>
#include <vector>

namespace sumac::worker {

/// The threads that compute for one worker: the caller's and threads - 1 more, which sleep when
/// there has been nothing to do for a while. Owned by the caller's thread.
///
/// Whoever splits work must give every output value to one task and let the tasks depend on the
/// sizes alone: then the bits do not depend on the number of threads.
class ComputePool {
 public:
  /// Requires threads >= 1.
  explicit ComputePool(int threads);
  ComputePool(const ComputePool&) = delete;
  ComputePool& operator=(const ComputePool&) = delete;
  ~ComputePool();

  int threads() const { return static_cast<int>(helpers_.size()) + 1; }

  /// Calls work(task) once for every task in [0, tasks) and returns when all are done. Tasks must
  /// not throw, nor call run(). Allocates nothing.
  template <typename Work>
  void run(std::size_t tasks, const Work& work) {
    if (helpers_.empty() || tasks <= 1) {
      for (std::size_t task = 0; task < tasks; ++task)
        work(task);
      return;
    }
    const auto call = [](const void* what, std::size_t task) {
      (*static_cast<const Work*>(what))(task);
    };
    share(tasks, call, &work);
  }

 private:
  using Call = void (*)(const void* work, std::size_t task);

  void share(std::size_t tasks, Call call, const void* work);
  void help(const std::stop_token& stop);
  bool takeTask();

  // How many tasks there are (upper half) and how many were taken (lower half). Taking a task is a
  // compare-and-swap of both, so that a helper that comes late takes one that is open, or none: no
  // round has to wait for those who sleep.
  alignas(64) std::atomic<std::uint64_t> open_ = 0;
  alignas(64) std::atomic<std::uint32_t> done_ = 0;
  alignas(64) std::atomic<std::uint32_t> round_ = 0;  // what helpers sleep on

  // Written by the caller's thread while no task is open, read by whoever has taken one.
  Call call_ = nullptr;
  const void* work_ = nullptr;
  std::size_t first_task_ = 0;

  std::vector<std::jthread> helpers_;
};

}  // namespace sumac::worker
