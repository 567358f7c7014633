#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "common/process/process_end.h"

namespace sumac::program {

/// How the process ends, as the first thread that asked for it says. Safe from any thread.
class FirstEnd {
 public:
  /// Returns whether this was the first.
  bool set(ExitCode code, std::string reason) {
    {
      const std::lock_guard lock(mutex_);
      if (end_) return false;
      end_ = ProcessEnd{code, std::move(reason)};
    }
    changed_.notify_all();
    return true;
  }

  /// Blocks until one was set.
  ProcessEnd wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return end_.has_value(); });
    return *end_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<ProcessEnd> end_;  // guarded by mutex_
};

}  // namespace sumac::program
