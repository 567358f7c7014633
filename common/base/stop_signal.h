#pragma once

#include <functional>
#include <thread>

namespace sumac {

/// Blocks SIGTERM and SIGINT for the caller and for every thread that it starts from now on, so
/// that they wait for a StopSignal. Call it before any other thread exists.
void blockStopSignals();

/// Waits for SIGTERM and SIGINT on a thread of its own and calls `onStop` there each time one
/// comes, also for one that came before. Requires blockStopSignals().
class StopSignal {
 public:
  explicit StopSignal(std::function<void()> onStop);
  ~StopSignal() = default;
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace sumac
