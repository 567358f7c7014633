#include "operator/trainingjob/policy/view.h"

#include <algorithm>
#include <iterator>

#include "kube/api/json.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

template <typename Values, typename Value>
bool contains(const Values& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool isRefused(const api::Recovery& recovery, Slot slot) {
  const auto& all = recovery.replacements;
  return std::any_of(all.begin(), all.end(), [&](const api::Replacement& each) {
    return each.is_refused && each.member == memberName(slot);
  });
}

}  // namespace

bool hasEnded(const api::Pod& pod) {
  return pod.terminated || pod.phase == api::PodPhase::kSucceeded ||
         pod.phase == api::PodPhase::kFailed;
}

std::optional<JobResult> resultOf(const api::Pod& pod) {
  if (!pod.terminated || pod.terminated->exit_code != 0) return std::nullopt;
  auto result = jobResultFromMessage(pod.terminated->message);
  if (!result) return std::nullopt;
  return *std::move(result);
}

View::View(const Observed& observed) : observed_(observed), attempt_(observed.job->status.attempt) {
  const api::JobStatus& status = observed.job->status;
  // The record of a finished job may be dropped; its status tells where slot 0 was.
  coordinator_ = coordinatorOf(observed.record ? observed.record->servers : status.server.desired);
  if (observed.record) {
    expected_ = slotsOf(observed.record->servers,
                        std::min(status.worker.desired, observed.record->logical_workers));
    const auto is_refused = [&](Slot slot) { return isRefused(status.recovery, slot); };
    std::copy_if(expected_.begin(), expected_.end(), std::back_inserter(refused_), is_refused);
    std::erase_if(expected_, is_refused);
  }
  sortPods();
  if (observed.record) return;
  for (const auto& [slot, pod] : current_)
    expected_.push_back(slot);
}

void View::sortPods() {
  const auto& handled = observed_.job->status.recovery.handled_pod_uids;
  for (const auto& pod : observed_.pods) {
    all_.push_back(pod.get());
    newest_attempt_ = std::max(newest_attempt_, pod->attempt);
    const bool is_member = pod->is_ours && pod->attempt == attempt_ && isExpected(pod->slot) &&
                           !contains(handled, pod->meta.uid);
    if (!is_member || !current_.emplace(pod->slot, pod.get()).second) old_.push_back(pod.get());
  }
}

bool View::isExpected(Slot slot) const {
  if (!observed_.record) return true;
  return std::binary_search(expected_.begin(), expected_.end(), slot);  // in the order of slots
}

const api::Pod* View::find(Slot slot) const {
  const auto found = current_.find(slot);
  return found == current_.end() ? nullptr : found->second;
}

bool View::isBeingDeleted(const api::Pod& pod) const {
  return pod.meta.deleted || contains(observed_.deleting_uids, pod.meta.uid);
}

bool View::changesMembers() const {
  return observed_.record && observed_.record->changes_members &&
         observed_.job->status.isTrue("Running");
}

bool View::lives(const api::Pod& pod) const {
  return pod.is_running && !hasEnded(pod) && !isBeingDeleted(pod);
}

bool View::hasLivingWorker() const {
  return std::any_of(current_.begin(), current_.end(), [this](const auto& entry) {
    return entry.first.role == Role::kWorker && lives(*entry.second);
  });
}

bool View::wouldLoseAllTrainers(int workers) const {
  if (!changesMembers()) return false;
  bool would_lose = false;
  for (const auto& [slot, pod] : current_) {
    if (slot.role != Role::kWorker || !lives(*pod)) continue;
    if (slot.index >= workers) {
      would_lose = true;
    } else if (pod->is_ready) {
      return false;
    }
  }
  return would_lose;
}

bool View::hasPodNamed(const std::string& name) const {
  return std::any_of(all_.begin(), all_.end(),
                     [&](const api::Pod* pod) { return pod->meta.key.name == name; });
}

bool View::areAllReady() const {
  const auto is_ready = [this](Slot slot) {
    const api::Pod* pod = find(slot);
    return pod != nullptr && pod->is_ready && !hasEnded(*pod) && !isBeingDeleted(*pod);
  };
  return observed_.record && !expected_.empty() &&
         std::all_of(expected_.begin(), expected_.end(), is_ready);
}

}  // namespace sumac::trainingjob
