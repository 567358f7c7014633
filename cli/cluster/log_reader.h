#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "cli/cluster/cluster.h"
#include "cli/cluster/log_choice.h"
#include "cli/cluster/log_lines.h"

namespace sumac::cli {

/// Reads one pod's log to its end on a thread of its own, over as many connections as it takes.
/// Owned by the command's thread, which calls all members.
class LogReader {
 public:
  using OnLine = std::function<void(std::string_view line)>;

  /// `on_line` and `on_end` are called on the reader's thread; `on_end` last.
  LogReader(const Cluster& cluster, LogChoice choice, api::ObjectKey pod, OnLine on_line,
            std::function<void()> on_end);
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  /// The pod has ended: reads what is left, then ends.
  void finish();

  /// The pod is deleted: reads a connection that is open to its end and opens no other.
  void leave();

 private:
  void read(const std::stop_token& stop);
  bool readOnce(bool follow, const std::stop_token& stop);

  const Cluster& cluster_;  // outlives us
  const LogChoice choice_;
  const api::ObjectKey pod_;
  const OnLine on_line_;
  const std::function<void()> on_end_;
  LogCursor cursor_;  // the reader's thread only

  std::mutex mutex_;  // guards the following
  std::condition_variable_any changed_;
  bool is_finished_ = false;
  bool is_gone_ = false;

  std::jthread thread_;  // last: it uses all above
};

}  // namespace sumac::cli
