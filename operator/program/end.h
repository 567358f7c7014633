#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "operator/program/process.h"

namespace sumac {

/// How the process ends: the first reason counts. Safe from any thread.
class End {
 public:
  /// Whether this was the first.
  bool set(ExitCode code, std::string reason) {
    {
      const std::lock_guard lock(mutex_);
      if (end_) return false;
      end_ = OperatorEnd{code, std::move(reason)};
    }
    changed_.notify_all();
    return true;
  }

  OperatorEnd wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return end_.has_value(); });
    return *end_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<OperatorEnd> end_;  // guarded by mutex_
};

}  // namespace sumac
