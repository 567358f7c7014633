#include "operator/trainingjob/progress/progress_poller.h"

#include <utility>

#include "base/telemetry/http_get.h"
#include "operator/trainingjob/progress/progress_answer.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {

FetchProgress fetchProgressByHttp() {
  return [](const std::string& ip, const std::stop_token& stop) -> Result<std::string> {
    HttpGetRequest request;
    request.from = {ip, kStatusPort};
    request.path = "/progress";
    auto answer = httpGet(request, stop);
    if (!answer) return answer.error();
    constexpr int kOk = 200;
    if (answer->status != kOk) {
      return Error{ErrorCode::kUnavailable, "status " + std::to_string(answer->status)};
    }
    return std::move(answer->body);
  };
}

ProgressPoller::ProgressPoller(FetchProgress fetch, int threads,
                               std::function<void(const api::ObjectKey&)> wake, const Clock& clock,
                               const Log& log)
    : fetch_(std::move(fetch)), wake_(std::move(wake)), clock_(clock), log_(log) {
  for (int i = 0; i < threads; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

ProgressPoller::~ProgressPoller() = default;

void ProgressPoller::follow(const ProgressTarget& target) {
  {
    const MutexLock lock(mutex_);
    schedule_.follow(target, clock_.now());
  }
  changed_.notifyOne();
}

void ProgressPoller::forget(const api::ObjectKey& key) {
  const MutexLock lock(mutex_);
  schedule_.forget(key);
}

std::optional<ProgressAnswer> ProgressPoller::latest(const api::ObjectKey& key,
                                                     const std::string& uid, int attempt) const {
  const MutexLock lock(mutex_);
  return schedule_.latest(key, uid, attempt);
}

void ProgressPoller::work(const std::stop_token& stop) {
  MutexLock lock(mutex_);
  while (!stop.stop_requested()) {
    const TimePoint now = clock_.now();
    if (const auto target = schedule_.take(now)) {
      lock.unlock();
      poll(*target, stop);
      lock.lock();
      continue;
    }
    const auto due = schedule_.nextDue();
    const Duration wait = due ? *due - now : PollSchedule::kLongestInterval;
    changed_.waitFor(lock, stop, wait);
  }
}

void ProgressPoller::warn(const ProgressTarget& target, const std::string& error) {
  {
    const MutexLock lock(mutex_);
    if (!schedule_.mayWarn(target, clock_.now())) return;
  }
  log_.warn("no progress", {{"job", target.key.text()}, {"error", error}});
}

void ProgressPoller::poll(const ProgressTarget& target, const std::stop_token& stop) {
  std::optional<ProgressAnswer> progress;
  const auto body = fetch_(target.ip, stop);
  if (!body) {
    log_.debug("no progress", {{"job", target.key.text()}, {"error", body.error().message}});
  } else if (auto read = progressFromAnswer(*body, target); read) {
    progress = *std::move(read);
  } else {
    warn(target, read.error().message);
  }
  bool is_new = false;
  {
    const MutexLock lock(mutex_);
    is_new = schedule_.done(target, progress, clock_.now());
  }
  if (is_new) wake_(target.key);
}

}  // namespace sumac::trainingjob
