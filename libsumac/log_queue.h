#pragma once

#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/log/log.h"

namespace sumac::program {

/// Lines of the log until the program takes them: the library's threads must not call into a
/// program, which has its own locks. Lines beyond kMost are dropped, and drain() reports their
/// number. Safe from any thread.
class LogQueue {
 public:
  static constexpr std::size_t kMost = 1000;
  using Receiver = std::function<void(LogLevel level, const std::string& line)>;

  void push(LogLevel level, std::string_view line) {
    const std::scoped_lock lock(mutex_);
    if (lines_.size() < kMost) {
      lines_.emplace_back(level, line);
    } else {
      ++lost_;
    }
  }
  /// Hands over all that is there, on the calling thread.
  void drain(const Receiver& receiver) {
    std::deque<std::pair<LogLevel, std::string>> lines;
    std::size_t lost = 0;
    {
      const std::scoped_lock lock(mutex_);
      lines.swap(lines_);
      lost = std::exchange(lost_, 0);
    }
    if (!receiver) return;
    for (const auto& [level, line] : lines)
      receiver(level, line);
    if (lost > 0)
      receiver(LogLevel::kWarn, std::to_string(lost) + " further lines of the log were lost");
  }

 private:
  std::mutex mutex_;
  std::deque<std::pair<LogLevel, std::string>> lines_;  // guarded by mutex_
  std::size_t lost_ = 0;                                // guarded by mutex_
};

}  // namespace sumac::program
