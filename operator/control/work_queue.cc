#include "operator/control/work_queue.h"

#include <algorithm>

#include "base/core/check.h"

namespace sumac::control {
namespace {

/// 5 ms doubled `failures` times, capped before the shift could overflow.
Duration backoffAfter(int failures) {
  constexpr int kDoublingsToCap = 14;  // 5 ms * 2^14 = 82 s
  const Duration wait = WorkQueue::kFirstBackoff * (1 << std::min(failures, kDoublingsToCap));
  return std::min(wait, WorkQueue::kLongestBackoff);
}

}  // namespace

WorkQueue::WorkQueue(int workers) : workers_(workers) {
  SUMAC_CHECK(workers >= 1, workers);
}

void WorkQueue::offer(Shares::iterator share) {
  const Share& has = share->second;
  if (has.ready.empty()) {
    if (has.working == 0) shares_.erase(share);
  } else if (has.working < std::max(workers_ / 2, 1)) {
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
  const auto first = firstOffer();
  if (first == offered_.end()) return std::nullopt;
  const auto share = first->second;
  offered_.erase(first);
  Key key = std::move(share->second.ready.front().second);
  share->second.ready.pop_front();
  ++share->second.working;
  offer(share);
  waiting_.erase(key);
  working_.emplace(key, now);
  return key;
}

/// The namespace whose key is given next; the end: none may have a worker.
WorkQueue::Offers::const_iterator WorkQueue::firstOffer() const {
  const bool is_last = workers_ > 1 && std::ssize(working_) == workers_ - 1;
  if (!is_last) return offered_.begin();
  return std::ranges::find_if(offered_, [this](const auto& offer) {
    const auto& [name_space, share] = *offer.second;
    return share.working == 0 && !slow_.contains(name_space);
  });
}

void WorkQueue::done(const Key& key, TimePoint now) {
  const auto work = working_.find(key);
  SUMAC_CHECK(work != working_.end(), key.text());
  if (now - work->second >= kSlow) slow_[key.name_space] = now;
  std::erase_if(slow_, [now](const auto& slow) { return now - slow.second > kSlowFor; });
  working_.erase(work);
  const auto share = shares_.find(key.name_space);
  withdraw(share->second);
  --share->second.working;
  offer(share);
  if (again_.erase(key) == 1) add(key);
}

std::optional<TimePoint> WorkQueue::nextDue() const {
  if (firstOffer() != offered_.end()) return TimePoint::min();
  if (by_time_.empty()) return std::nullopt;
  return by_time_.begin()->first;
}

}  // namespace sumac::control
