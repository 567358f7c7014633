#pragma once

#include <functional>
#include <thread>
#include <utility>

#include "base/core/clock.h"
#include "base/core/descriptor.h"
#include "base/core/result.h"

namespace sumac {

/// Blocks SIGTERM and SIGINT for the caller and for every thread that it starts from now on, so
/// that they stay pending for a StopSignal. Call it before any other thread exists.
void blockStopSignals();

/// Blocks them likewise and makes each one readable from a descriptor (a signalfd) that does not
/// block, for a process that waits in a loop of its own.
Result<Descriptor> openStopSignals();

/// Waits for SIGTERM and SIGINT on a thread of its own and calls `onStop` there for each one that
/// arrives, and for one that was pending already; calls `onOverdue` once when it still lives
/// `limit` after the first. Requires blockStopSignals().
class StopSignal {
 public:
  StopSignal(std::function<void()> onStop, Duration limit, std::function<void()> onOverdue);
  /// Without a limit.
  explicit StopSignal(std::function<void()> onStop) : StopSignal(std::move(onStop), {}, {}) {}
  ~StopSignal() = default;
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

 private:
  std::jthread thread_;
};

}  // namespace sumac
