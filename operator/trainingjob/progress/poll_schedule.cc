#include "operator/trainingjob/progress/poll_schedule.h"

#include <algorithm>
#include <utility>

namespace sumac::trainingjob {

void PollSchedule::follow(const ProgressTarget& target, TimePoint now) {
  Entry& entry = entries_[target.key];
  if (entry.target == target) return;
  const bool is_same_life =
      entry.target.uid == target.uid && entry.target.attempt == target.attempt;
  if (target.ip.empty() && !is_same_life) {
    entries_.erase(target.key);
    return;
  }
  if (!is_same_life) entry.answer.reset();
  entry.target = target;
  entry.due = now;
  entry.is_busy = false;
  entry.failures = 0;
}

void PollSchedule::forget(const api::ObjectKey& key) {
  entries_.erase(key);
}

std::optional<ProgressTarget> PollSchedule::take(TimePoint now) {
  Entry* first = nullptr;
  for (auto& [key, entry] : entries_) {
    if (!entry.isWaiting() || entry.due > now) continue;
    if (first == nullptr || entry.due < first->due) first = &entry;
  }
  if (first == nullptr) return std::nullopt;
  first->is_busy = true;
  return first->target;
}

std::optional<TimePoint> PollSchedule::nextDue() const {
  std::optional<TimePoint> next;
  for (const auto& [key, entry] : entries_) {
    if (entry.isWaiting() && (!next || entry.due < *next)) next = entry.due;
  }
  return next;
}

bool PollSchedule::done(const ProgressTarget& target, std::optional<ProgressAnswer> answer,
                        TimePoint now) {
  const auto found = entries_.find(target.key);
  if (found == entries_.end() || found->second.target != target) return false;
  Entry& entry = found->second;
  const Duration usual = std::max<Duration>(
      kInterval, std::chrono::milliseconds(1000 * entries_.size() / kMostPerSecond));
  entry.is_busy = false;
  if (!answer) {
    constexpr int kMostDoublings = 4;
    entry.failures = std::min(entry.failures + 1, kMostDoublings);
    entry.due =
        now + std::max(usual, std::min(kInterval * (1 << entry.failures), kLongestInterval));
    return false;
  }
  entry.failures = 0;
  entry.due = now + usual;
  const bool is_new = !entry.answer || entry.answer->membership != answer->membership ||
                      entry.answer->progress.percentage() != answer->progress.percentage();
  entry.answer = std::move(answer);
  return is_new;
}

bool PollSchedule::mayWarn(const ProgressTarget& target, TimePoint now) {
  const auto found = entries_.find(target.key);
  if (found == entries_.end()) return false;
  auto& last = found->second.last_warning;
  if (last && now - *last < kBetweenWarnings) return false;
  last = now;
  return true;
}

std::optional<ProgressAnswer> PollSchedule::latest(const api::ObjectKey& key,
                                                   const std::string& uid, int attempt) const {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return std::nullopt;
  const Entry& entry = found->second;
  if (entry.target.uid != uid || entry.target.attempt != attempt) return std::nullopt;
  return entry.answer;
}

}  // namespace sumac::trainingjob
