#include "operator/trainingjob/policy/deletion.h"

#include <algorithm>

#include "kube/api/reasons.h"

namespace sumac::trainingjob {
namespace {

void remove(Draft& draft, const api::Pod& pod, bool force) {
  draft.actions.emplace_back(
      DeletePod{.name = pod.meta.key.name, .uid = pod.meta.uid, .force = force});
}

bool hasUid(const std::vector<std::string>& uids, const api::Pod& pod) {
  return std::find(uids.begin(), uids.end(), pod.meta.uid) != uids.end();
}

/// A kubelet that works would have ended the process after the grace period, and reported it. What
/// exists still later, such as a pod that ended and that a finalizer holds, is reported.
void forceWhenOverdue(Draft& draft, const api::Pod& pod) {
  if (!pod.meta.deleted) return;
  const WallTime due = *pod.meta.deleted + kOverdue;
  const WallTime reported = due + kOverdue;
  if (draft.now < reported) draft.againAt(reported);
  const bool was_forced = pod.grace_seconds == 0 || hasUid(draft.observed.forced_uids, pod);
  if (hasEnded(pod) || was_forced) return;
  if (draft.now < due) return draft.againAt(due);
  remove(draft, pod, /*force=*/true);
  if (hasUid(draft.observed.held_uids, pod)) return;  // nothing is sent now
  draft.warn(api::reasons::kDeletionForced,
             "pod " + pod.meta.key.name + " should have ended 30 s ago and node " + pod.node +
                 " does not say that it has: it is deleted by force");
}

}  // namespace

void deletePods(Draft& draft, const std::vector<const api::Pod*>& pods) {
  const Slot coordinator = draft.view.coordinator();
  const bool others_live = std::any_of(pods.begin(), pods.end(), [&](const api::Pod* pod) {
    return !hasEnded(*pod) && pod->slot != coordinator;
  });
  for (const api::Pod* pod : pods) {
    if (draft.view.isBeingDeleted(*pod)) {
      forceWhenOverdue(draft, *pod);
    } else if (pod->slot != coordinator || hasEnded(*pod) || !others_live) {
      remove(draft, *pod, /*force=*/false);
    }
  }
}

}  // namespace sumac::trainingjob
