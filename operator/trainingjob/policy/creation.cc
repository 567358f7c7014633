#include "operator/trainingjob/policy/creation.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/recovery.h"
#include "operator/trainingjob/policy/replacement.h"
#include "operator/trainingjob/policy/spec_check.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

struct ChildView {
  Child child;
  const char* kind;
  ChildState state;
};

/// In the order of creation.
std::vector<ChildView> childrenOf(const Observed& observed) {
  std::vector<ChildView> children = {
      {Child::kService, "Service", observed.service},
      {Child::kConfigMap, "ConfigMap", observed.config_map},
      {Child::kNetworkPolicy, "NetworkPolicy", observed.network_policy},
  };
  if (!observed.readers.areNone())
    children.push_back({Child::kReaders, "NetworkPolicy", observed.readers_policy});
  if (observed.record && hasCode(*observed.record))
    children.push_back({Child::kCode, "ConfigMap", observed.code});
  if (observed.record && hasSecret(*observed.record)) {
    children.push_back({Child::kSecret, "Secret", observed.secret});
  }
  return children;
}

std::string nameOf(const Draft& draft, Child child) {
  const api::ObjectMeta& meta = draft.job.meta;
  if (child == Child::kReaders) return readersName(meta.key.name, draft.observed.readers);
  return childName(meta.key.name, meta.uid, child);
}

std::string takenBy(const std::string& kind, const std::string& name) {
  return kind + " " + name +
         " exists and does not belong to this job: delete it, or give the job another name";
}

std::optional<Obstacle> findForeign(const Draft& draft) {
  const api::ObjectMeta& meta = draft.job.meta;
  for (const ChildView& view : childrenOf(draft.observed)) {
    if (view.state != ChildState::kForeign) continue;
    return Obstacle{api::reasons::kNameTaken, takenBy(view.kind, nameOf(draft, view.child))};
  }
  const auto& foreign = draft.observed.foreign_pods;
  for (const Slot slot : draft.view.expected()) {
    const std::string name = podName(meta.key.name, slot);
    if (draft.view.find(slot) == nullptr &&
        std::find(foreign.begin(), foreign.end(), name) != foreign.end()) {
      return Obstacle{api::reasons::kNameTaken, takenBy("Pod", name)};
    }
  }
  return std::nullopt;
}

std::vector<Slot> missingSlots(const View& view) {
  std::vector<Slot> missing;
  for (const Slot slot : view.expected()) {
    if (view.find(slot) == nullptr) missing.push_back(slot);
  }
  return missing;
}

/// Returns whether all names are free, so that pods may be created after the children.
bool createChildren(Draft& draft, bool needs_pods) {
  bool is_free = true;
  const bool needs_none = !hasSecret(*draft.observed.record);
  const bool has_secret = needs_none || draft.observed.secret == ChildState::kPresent;
  for (const ChildView& view : childrenOf(draft.observed)) {
    // The ConfigMap stands for the Secret, so it is not created without it.
    const bool is_after_secret = view.child == Child::kSecret || view.child == Child::kConfigMap;
    if (is_after_secret && !needs_pods && !has_secret) continue;
    // A pod that mounts what is not there waits without a word: it is looked for before each.
    const bool is_looked_for = view.child == Child::kCode && needs_pods;
    const bool is_wanted = view.state == ChildState::kMissing ||
                           view.state == ChildState::kUnknown ||
                           (is_looked_for && view.state == ChildState::kPresent);
    if (is_wanted) draft.actions.emplace_back(CreateChild{view.child});
    is_free = is_free && view.state != ChildState::kDeleting && view.state != ChildState::kForeign;
  }
  return is_free;
}

/// Whether the pause before this attempt is over.
bool isPauseOver(Draft& draft) {
  const auto& over = draft.before.recovery.not_before;
  // A time too far ahead was written with a wrong clock: do not wait for it.
  if (!over || *over <= draft.now || *over > draft.now + kLongestPause) return true;
  draft.againAt(*over);
  return false;
}

/// Whether the pods of the attempt wait for those of another one to be gone.
bool waitsForOldPods(const View& view, int attempt) {
  const auto& old = view.old();
  return std::any_of(old.begin(), old.end(),
                     [attempt](const api::Pod* pod) { return pod->attempt != attempt; });
}

/// Whether the name of this slot's pod is free and its pause is over.
bool mayCreate(Draft& draft, Slot slot) {
  if (draft.view.hasPodNamed(podName(draft.job.meta.key.name, slot))) return false;
  const WallTime time = replacementTime(draft, slot);
  if (time > draft.now) draft.againAt(time);
  return time <= draft.now;
}

}  // namespace

std::optional<Obstacle> findObstacle(const Draft& draft) {
  if (!draft.observed.record) return specObstacle(draft);
  if (missingSlots(draft.view).empty()) return std::nullopt;
  if (auto foreign = findForeign(draft)) return foreign;
  if (draft.before.template_hash != draft.job.template_hash) {
    return Obstacle{
        api::reasons::kTemplateChanged,
        "a pod template was changed while the job was not suspended: set spec.suspend to "
        "true and back to false to use it"};
  }
  return specObstacle(draft);
}

void create(Draft& draft) {
  if (!draft.observed.record || waitsForOldPods(draft.view, draft.before.attempt)) return;
  if (!isPauseOver(draft)) return;
  const std::vector<Slot> missing = missingSlots(draft.view);
  const bool may_make_pods = !findObstacle(draft);
  const bool is_free = createChildren(draft, !missing.empty());
  if (!may_make_pods || !is_free) return;
  for (const Slot slot : missing) {
    if (!mayCreate(draft, slot)) continue;
    draft.actions.emplace_back(CreatePod{
        .slot = slot, .attempt = draft.before.attempt, .workers = draft.before.worker.desired});
  }
}

}  // namespace sumac::trainingjob
