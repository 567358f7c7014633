#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/core/mutex.h"
#include "base/process/process_end.h"

namespace sumac::program {

/// How the process ends: set by the first thread that asks for its end. Safe from any thread.
class FirstEnd {
 public:
  /// Returns whether this was the first.
  bool set(ExitCode code, std::string reason) {
    {
      const MutexLock lock(mutex_);
      if (end_) return false;
      end_ = ProcessEnd{code, std::move(reason)};
    }
    changed_.notifyAll();
    return true;
  }

  /// Blocks until an end is set.
  ProcessEnd wait() {
    MutexLock lock(mutex_);
    while (!end_)
      changed_.wait(lock);
    return *end_;
  }

 private:
  Mutex mutex_;
  Condition changed_;
  std::optional<ProcessEnd> end_ SUMAC_GUARDED_BY(mutex_);
};

}  // namespace sumac::program
