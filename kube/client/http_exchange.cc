#include "kube/client/http_exchange.h"

#include <utility>

namespace sumac::kube {

void HttpExchange::setHead(int status, std::optional<std::chrono::seconds> retry_after) {
  const std::lock_guard lock(mutex_);
  status_ = status;
  retry_after_ = retry_after;
  changed_.notify_all();
}

HttpExchange::Taken HttpExchange::offer(std::string_view bytes, Resume resume) {
  const std::lock_guard lock(mutex_);
  if (left_) return Taken::kRefused;
  unread_.append(bytes);
  changed_.notify_all();
  if (unread_.size() < kHighWater) return Taken::kContinue;
  resume_ = std::move(resume);
  return Taken::kWaitForResume;
}

void HttpExchange::finish(std::string error) {
  const std::lock_guard lock(mutex_);
  finished_ = true;
  error_ = std::move(error);
  changed_.notify_all();
}

HttpExchange::Event HttpExchange::wait(TimePoint deadline, const std::stop_token& stop,
                                       std::string& bytes) {
  bytes.clear();
  Resume resume;
  {
    std::unique_lock lock(mutex_);
    const bool readable =
        changed_.wait_until(lock, stop, deadline, [this] { return isReadable(); });
    if (stop.stop_requested()) return Event::kStopped;
    if (!readable) return Event::kDeadline;
    if (status_ == 0 || unread_.empty()) return Event::kEnd;
    bytes.swap(unread_);
    resume = std::exchange(resume_, nullptr);
  }
  // Outside the lock: it may run the library's code, which may come back to us.
  if (resume) resume(true);
  return Event::kData;
}

int HttpExchange::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

std::optional<std::chrono::seconds> HttpExchange::retryAfter() const {
  const std::lock_guard lock(mutex_);
  return retry_after_;
}

std::string HttpExchange::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

void HttpExchange::leave() {
  Resume resume;
  {
    const std::lock_guard lock(mutex_);
    left_ = true;
    unread_.clear();
    resume = std::exchange(resume_, nullptr);
  }
  if (resume) resume(false);
}

}  // namespace sumac::kube
