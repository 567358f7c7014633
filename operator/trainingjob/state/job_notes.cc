#include "operator/trainingjob/state/job_notes.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

constexpr std::string_view kDeletionOf = "deletion of pod ";

}  // namespace

std::string deletionOf(const std::string& pod_uid) {
  return std::string(kDeletionOf) + pod_uid;
}

void JobNotes::noteLookUp(Slot slot, int attempt, std::shared_ptr<const api::Pod> pod,
                          TimePoint now) {
  if (pod) {
    new_pods.push_back({std::move(pod), now + kUnseenPod});
  } else {
    gone_pods.push_back({slot, attempt});
  }
}

bool JobNotes::noteFailure(const std::string& what, const Refusal& failure, TimePoint now) {
  const TimePoint since = failing.try_emplace(what, now).first->second;
  if (now - since < kPassingTrouble) return false;
  Hold& entry = hold(what, now, kRefusedPause);
  entry.refusal = failure;
  entry.refusal->is_failure = true;
  return true;
}

void JobNotes::noteAnswer(const std::string& what) {
  failing.erase(what);
  holds.erase(what);
}

void JobNotes::forgetPodHolds() {
  const std::string pod = kindAndName(kube::kPods, "");
  std::erase_if(holds, [&](const auto& entry) { return entry.first.starts_with(pod); });
  std::erase_if(failing, [&](const auto& entry) { return entry.first.starts_with(pod); });
}

void JobNotes::forgetDeletions(const std::function<bool(const std::string& uid)>& exists) {
  const auto is_over = [&](const auto& entry) {
    return entry.first.starts_with(kDeletionOf) && !exists(entry.first.substr(kDeletionOf.size()));
  };
  std::erase_if(holds, is_over);
  std::erase_if(failing, is_over);
  const auto is_gone = [&](const std::string& uid) { return !exists(uid); };
  std::erase_if(deleting_uids, is_gone);
  std::erase_if(forced_uids, is_gone);
}

Hold& JobNotes::hold(const std::string& what, TimePoint now, Duration first) {
  constexpr Duration kLongest = std::chrono::minutes(2);
  Hold& entry = holds[what];
  const Duration last = entry.pause;
  const bool is_new = last == Duration::zero();
  entry.refusal.reset();
  entry.is_foreign = false;
  if (is_new) entry.first = now;
  entry.pause = is_new ? first : std::min(2 * last, kLongest);
  entry.until = now + entry.pause;
  return entry;
}

bool JobNotes::isHeld(const std::string& what, TimePoint now) const {
  const auto found = holds.find(what);
  return found != holds.end() && now < found->second.until;
}

std::optional<Duration> JobNotes::nextEnd(TimePoint now) const {
  std::optional<Duration> next;
  for (const auto& [what, hold] : holds) {
    const Duration left = std::max(hold.until - now, Duration::zero());
    if (!next || left < *next) next = left;
  }
  return next;
}

std::shared_ptr<JobNotes> NotesOfJobs::of(const api::ObjectKey& key, const std::string& uid) {
  const MutexLock lock(mutex_);
  Entry& entry = jobs_[key];
  if (!entry.notes || entry.uid != uid) entry = {uid, std::make_shared<JobNotes>()};
  return entry.notes;
}

void NotesOfJobs::forget(const api::ObjectKey& key) {
  const MutexLock lock(mutex_);
  jobs_.erase(key);
}

}  // namespace sumac::trainingjob
