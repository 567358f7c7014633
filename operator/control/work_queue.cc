#include "operator/control/work_queue.h"

#include <algorithm>

#include "common/base/check.h"

namespace sumac::control {
namespace {

/// 5 ms doubled `failures` times, capped before the shift could overflow.
Duration backoffAfter(int failures) {
  constexpr int kDoublingsToCap = 14;  // 5 ms * 2^14 = 82 s
  const Duration wait = WorkQueue::kFirstBackoff * (1 << std::min(failures, kDoublingsToCap));
  return std::min(wait, WorkQueue::kLongestBackoff);
}

}  // namespace

void WorkQueue::add(const Key& key) {
  if (working_.contains(key)) {
    again_.insert(key);
  } else if (waiting_.insert(key).second) {
    ready_.push_back(key);
  }
}

void WorkQueue::addAfter(const Key& key, TimePoint when) {
  const auto [entry, is_new] = due_.try_emplace(key, when);
  if (!is_new) {
    if (entry->second <= when) return;
    by_time_.erase({entry->second, key});
    entry->second = when;
  }
  by_time_.emplace(when, key);
}

void WorkQueue::addAfterFailure(const Key& key, TimePoint now) {
  const int before = failures_[key]++;
  addAfter(key, now + backoffAfter(before));
}

void WorkQueue::forgetFailures(const Key& key) {
  failures_.erase(key);
}

void WorkQueue::addAllDue(TimePoint now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const Key key = by_time_.begin()->second;
    by_time_.erase(by_time_.begin());
    due_.erase(key);
    add(key);
  }
}

std::optional<WorkQueue::Key> WorkQueue::take(TimePoint now) {
  addAllDue(now);
  if (ready_.empty()) return std::nullopt;
  Key key = std::move(ready_.front());
  ready_.pop_front();
  waiting_.erase(key);
  working_.insert(key);
  return key;
}

void WorkQueue::done(const Key& key) {
  SUMAC_CHECK(working_.erase(key) == 1, key.text());
  if (again_.erase(key) == 1) add(key);
}

std::optional<TimePoint> WorkQueue::nextDue() const {
  if (!ready_.empty()) return TimePoint::min();
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

}  // namespace sumac::control
