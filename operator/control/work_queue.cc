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

WorkQueue::WorkQueue(int most_of_namespace) : most_of_namespace_(most_of_namespace) {
  SUMAC_CHECK(most_of_namespace >= 1, most_of_namespace);
}

void WorkQueue::offer(Shares::iterator share) {
  const Share& has = share->second;
  if (has.ready.empty()) {
    if (has.working == 0) shares_.erase(share);
  } else if (has.working < most_of_namespace_) {
    offered_.emplace(has.ready.front().first, share);
  }
}

void WorkQueue::withdraw(const Share& share) {
  if (!share.ready.empty()) offered_.erase(share.ready.front().first);
}

void WorkQueue::add(const Key& key) {
  if (working_.contains(key)) {
    again_.insert(key);
  } else if (waiting_.insert(key).second) {
    const auto share = shares_.try_emplace(key.name_space).first;
    share->second.ready.emplace_back(arrivals_++, key);
    if (share->second.ready.size() == 1) offer(share);
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
  if (offered_.empty()) return std::nullopt;
  const auto share = offered_.begin()->second;
  offered_.erase(offered_.begin());
  Key key = std::move(share->second.ready.front().second);
  share->second.ready.pop_front();
  ++share->second.working;
  offer(share);
  waiting_.erase(key);
  working_.insert(key);
  return key;
}

void WorkQueue::done(const Key& key) {
  SUMAC_CHECK(working_.erase(key) == 1, key.text());
  const auto share = shares_.find(key.name_space);
  withdraw(share->second);
  --share->second.working;
  offer(share);
  if (again_.erase(key) == 1) add(key);
}

std::optional<TimePoint> WorkQueue::nextDue() const {
  if (!offered_.empty()) return TimePoint::min();
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

}  // namespace sumac::control
