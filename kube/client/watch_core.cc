#include "kube/client/watch_core.h"

#include <algorithm>

namespace sumac::kube {

std::string_view toString(WatchEnd end) {
  switch (end) {
    case WatchEnd::kInOrder: return "in order";
    case WatchEnd::kLost: return "lost";
    case WatchEnd::kExpired: return "expired";
    case WatchEnd::kBusy: return "busy";
    case WatchEnd::kServerError: return "server error";
    case WatchEnd::kRefused: return "refused";
    case WatchEnd::kMalformed: return "malformed";
  }
  return "?";
}

std::ostream& operator<<(std::ostream& out, WatchStep step) {
  return out << (step == WatchStep::kList ? "list" : "watch");
}

WatchEnd endOf(const Failure& failure) {
  if (failure.status == 0) return WatchEnd::kLost;
  if (failure.isExpired()) return WatchEnd::kExpired;
  if (failure.status == 429) return WatchEnd::kBusy;
  if (failure.status >= 500) return WatchEnd::kServerError;
  return WatchEnd::kRefused;
}

NextWatchStep WatchCore::afterList(const std::optional<Failure>& failure, TimePoint now) {
  if (failure) return later(WatchStep::kList, failure->retry_after, now);
  server_errors_ = 0;
  return {WatchStep::kWatch, Duration::zero()};
}

NextWatchStep WatchCore::afterWatch(const WatchEnding& ending, TimePoint now) {
  const bool expired_again = just_expired_ && !ending.had_events;
  just_expired_ = ending.end == WatchEnd::kExpired;
  server_errors_ = ending.end == WatchEnd::kServerError ? server_errors_ + 1 : 0;
  switch (ending.end) {
    case WatchEnd::kInOrder:
      if (ending.had_events || ending.lived >= kTooShort) return {WatchStep::kWatch, {}};
      return later(WatchStep::kWatch, {}, now);
    case WatchEnd::kLost:
    case WatchEnd::kBusy: return later(WatchStep::kWatch, ending.retry_after, now);
    case WatchEnd::kExpired:
      if (!expired_again) return {WatchStep::kList, {}};
      return later(WatchStep::kList, {}, now);
    case WatchEnd::kServerError:
      return later(server_errors_ >= kServerErrorsBeforeList ? WatchStep::kList : WatchStep::kWatch,
                   ending.retry_after, now);
    case WatchEnd::kRefused:
    case WatchEnd::kMalformed: break;
  }
  return later(WatchStep::kList, ending.retry_after, now);
}

std::chrono::seconds WatchCore::nextTimeout() {
  constexpr int kShortest = 300;
  constexpr float kSpread = 301.0F;
  return std::chrono::seconds(kShortest + static_cast<int>(jitter_(draws_++) * kSpread));
}

Duration WatchCore::backOff(TimePoint now) {
  if (now - last_failure_ >= kHealthy) failures_ = 0;
  last_failure_ = now;
  const Duration base = doubled(kFirstBackoff, kLongestBackoff, failures_++);
  return base / 2 + scaled(base / 2, jitter_(draws_++));
}

NextWatchStep WatchCore::later(WatchStep step, const std::optional<std::chrono::seconds>& at_least,
                               TimePoint now) {
  const Duration delay = backOff(now);
  // What the server asks for is added to, not replaced: all watchers were told the same.
  return {step, at_least ? *at_least + std::min(delay, kFirstBackoff) : delay};
}

}  // namespace sumac::kube
