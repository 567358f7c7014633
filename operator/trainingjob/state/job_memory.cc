#include "operator/trainingjob/state/job_memory.h"

#include <algorithm>
#include <utility>

namespace sumac::trainingjob {

void JobMemory::noteLookUp(Slot slot, int attempt, std::shared_ptr<const api::Pod> pod,
                           TimePoint now) {
  if (pod) {
    new_pods.push_back({std::move(pod), now + kUnseenPod});
  } else {
    gone_pods.push_back({slot, attempt});
  }
}

Hold& JobMemory::hold(const std::string& what, TimePoint now, Duration first) {
  constexpr Duration kLongest = std::chrono::minutes(2);
  Hold& entry = holds[what];
  const Duration last = entry.pause;
  entry = {};
  entry.pause = last == Duration::zero() ? first : std::min(2 * last, kLongest);
  entry.until = now + entry.pause;
  return entry;
}

bool JobMemory::isHeld(const std::string& what, TimePoint now) const {
  const auto found = holds.find(what);
  return found != holds.end() && now < found->second.until;
}

std::optional<Duration> JobMemory::nextEnd(TimePoint now) const {
  std::optional<Duration> next;
  for (const auto& [what, hold] : holds) {
    const Duration left = std::max(hold.until - now, Duration::zero());
    if (!next || left < *next) next = left;
  }
  return next;
}

std::shared_ptr<JobMemory> JobMemories::of(const api::ObjectKey& key, const std::string& uid) {
  const MutexLock lock(mutex_);
  Entry& entry = jobs_[key];
  if (!entry.memory || entry.uid != uid) entry = {uid, std::make_shared<JobMemory>()};
  return entry.memory;
}

void JobMemories::forget(const api::ObjectKey& key) {
  const MutexLock lock(mutex_);
  jobs_.erase(key);
}

}  // namespace sumac::trainingjob
