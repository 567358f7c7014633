#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/core/clock.h"

namespace sumac::kube {

/// One request's answer on its way from the HTTP library's threads to the thread that asked. The
/// library's side never blocks: when the reader is behind, it is told to wait and called back
/// (backpressure). The reader may leave at any time; what comes later is refused. Safe from any
/// thread; one reader.
class HttpExchange {
 public:
  /// More unread bytes than this and the writer waits.
  static constexpr std::size_t kHighWater = std::size_t{256} << 10;

  using Resume = std::function<void(bool go_on)>;
  enum class Taken { kContinue, kWaitForResume, kRefused };
  enum class Event { kData, kEnd, kDeadline, kStopped };

  HttpExchange() = default;
  ~HttpExchange() = default;
  HttpExchange(const HttpExchange&) = delete;
  HttpExchange& operator=(const HttpExchange&) = delete;

  // The library's side. The head may come after the first bytes; the end comes last.
  void setHead(int status, std::optional<std::chrono::seconds> retry_after);
  Taken offer(std::string_view bytes, Resume resume);
  /// `error` is empty when the answer ended in order.
  void finish(std::string error);

  // The reader's side.
  /// Waits for bytes, which replace `bytes`, or for the end; kEnd comes after the last bytes.
  Event wait(TimePoint deadline, const std::stop_token& stop, std::string& bytes);
  /// 0 until the head is there, which it is when wait() gave bytes.
  int status() const;
  std::optional<std::chrono::seconds> retryAfter() const;
  std::string error() const;
  void leave();

 private:
  bool isReadable() const { return finished_ || (status_ != 0 && !unread_.empty()); }

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable_any changed_;
  int status_ = 0;
  std::optional<std::chrono::seconds> retry_after_;
  std::string unread_;
  Resume resume_;  // of a writer that waits
  bool finished_ = false;
  bool left_ = false;
  std::string error_;
};

}  // namespace sumac::kube
