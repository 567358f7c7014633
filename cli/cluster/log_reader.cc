#include "cli/cluster/log_reader.h"

#include <utility>

namespace sumac::cli {
namespace {

// A member that trains writes a line now and then; a connection that is silent for so long may be
// dead, and opening another loses nothing.
constexpr Duration kLogReaderIdle = std::chrono::minutes(5);
constexpr std::chrono::seconds kLogReaderBetween(1);

}  // namespace

LogReader::LogReader(const Cluster& cluster, LogChoice choice, api::ObjectKey pod, OnLine on_line,
                     std::function<void()> on_end)
    : cluster_(cluster),
      choice_(std::move(choice)),
      pod_(std::move(pod)),
      on_line_(std::move(on_line)),
      on_end_(std::move(on_end)),
      thread_([this](const std::stop_token& stop) {
        read(stop);
        on_end_();
      }) {}

LogReader::~LogReader() {
  thread_.request_stop();
}

void LogReader::finish() {
  {
    const std::lock_guard lock(mutex_);
    is_finished_ = true;
  }
  changed_.notify_all();
}

void LogReader::leave() {
  {
    const std::lock_guard lock(mutex_);
    is_gone_ = true;
  }
  changed_.notify_all();
}

void LogReader::read(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    bool is_last = false;
    {
      const std::lock_guard lock(mutex_);
      // Logs are asked for by name, which may be a successor's by now.
      if (is_gone_) return;
      is_last = is_finished_;
    }
    // One that has ended need not be followed.
    const bool is_there = readOnce(/*follow=*/!is_last, stop);
    // Asked after the pod's end: all of it has been read, or it is gone.
    if (is_last || !is_there) return;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kLogReaderBetween, [this] { return is_finished_ || is_gone_; });
  }
}

/// One connection, to its end; false: there is no log any more.
bool LogReader::readOnce(bool follow, const std::stop_token& stop) {
  LineCutter cutter;
  const auto take = [this](std::string_view line) {
    const auto text = cursor_.take(line);
    if (text) on_line_(readableLine(choice_.has_times ? line : *text, choice_.has_times));
  };
  const auto request = logRequest(choice_, pod_, follow, /*has_times=*/true, cursor_.since());
  const auto response = cluster_.transport.stream(
      request, kLogReaderIdle, stop,
      [&](std::string_view bytes) {
        cutter.add(bytes, take);
        return true;
      },
      /*raw=*/true);
  // A line that a lost connection has cut is sent again as a whole.
  if (response.status == 200 && response.error.empty()) cutter.end(take);
  return response.status != 404;
}

}  // namespace sumac::cli
