#include "operator/trainingjob/policy/cause.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/replacement.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

/// The missing members of a running attempt. Before an attempt runs, a missing pod is only not
/// created yet; so is that of a member that is being replaced.
std::vector<Slot> missingMembers(const Draft& draft) {
  std::vector<Slot> missing;
  if (!draft.before.isTrue("Running")) return missing;
  for (const Slot slot : draft.view.expected()) {
    const bool is_replaced = draft.view.changesMembers() &&
                             (isBeingReplaced(draft, slot) ||
                              draft.view.hasPodNamed(podName(draft.job.meta.key.name, slot)));
    if (draft.view.find(slot) == nullptr && !is_replaced) missing.push_back(slot);
  }
  return missing;
}

void addMissing(const Draft& draft, std::vector<Failure>& failures) {
  for (const Slot slot : missingMembers(draft)) {
    Failure failure;
    failure.kind = FailureKind::kMissing;
    failure.slot = slot;
    failure.pod_name = podName(draft.job.meta.key.name, slot);
    failure.reason = api::reasons::kPodDeleted;
    failure.message =
        draft.view.hasPodNamed(failure.pod_name)
            ? "no longer has the labels of a member: somebody edited them"
            : "no longer exists: it, or its node, was deleted, and not by the operator";
    failures.push_back(failure);
  }
}

/// Own failures and disruptions have the same rank: the earlier one is the cause.
int rankOf(FailureKind kind) {
  if (kind == FailureKind::kForGood) return 0;
  if (kind == FailureKind::kOwn || kind == FailureKind::kDisruption) return 1;
  return kind == FailureKind::kMissing ? 2 : 3;
}

bool isMoreSpecific(const Failure& a, const Failure& b) {
  const auto key = [](const Failure& failure) {
    return std::tuple(rankOf(failure.kind), failure.time.value_or(WallTime::max()), failure.slot);
  };
  return key(a) < key(b);
}

/// Whether a pod of an attempt that has not run yet waits to start, or to be created.
bool hasUnstartedMember(const Draft& draft) {
  if (draft.before.isTrue("Running")) return false;
  const auto& slots = draft.view.expected();
  return std::any_of(slots.begin(), slots.end(), [&](Slot slot) {
    const api::Pod* pod = draft.view.find(slot);
    return pod == nullptr || (!pod->is_running && !hasEnded(*pod));
  });
}

/// Whether a member has not ended although others lost it: its node may be lost.
bool hasSilentMember(const View& view) {
  return std::any_of(view.current().begin(), view.current().end(),
                     [](const auto& entry) { return !hasEnded(*entry.second); });
}

bool isConsequence(const std::string& reason) {
  return reason == api::reasons::kLostPeers || reason == api::reasons::kStopped ||
         reason == api::reasons::kNoResult;
}

/// How long to wait for the cause of a consequence, or, before a failure ends the job, for what the
/// others say of their progress when they end; empty: do not wait.
std::optional<Duration> waitFor(const Draft& draft, const Failure& failure) {
  if (!failure.time || !hasSilentMember(draft.view)) return std::nullopt;
  const bool is_unjoined = failure.kind == FailureKind::kUnjoined;
  const bool is_consequence = failure.kind == FailureKind::kConsequence || is_unjoined;
  const int failures = failuresInARow(draft);
  const bool is_last = failures >= draft.job.run_policy.backoff_limit;
  // With a limit of 0 no progress helps.
  const bool may_go_on = failure.kind == FailureKind::kOwn && is_last && failures > 0;
  if (!is_consequence && !may_go_on) return std::nullopt;
  const bool may_be_node = is_consequence && is_last && !is_unjoined;
  const std::chrono::seconds window = may_be_node ? kLastCauseWindow : kCauseWindow;
  const auto since = draft.now - *failure.time;
  // If the clock of the node is far ahead, do not wait for ever.
  if (since >= window || since < -window) return std::nullopt;
  return window - since;
}

}  // namespace

bool lookUpMissing(Draft& draft) {
  bool is_unknown = false;
  const auto& gone = draft.observed.gone;
  for (const Slot slot : missingMembers(draft)) {
    if (std::find(gone.begin(), gone.end(), slot) != gone.end()) continue;
    draft.actions.emplace_back(LookUpPod{.slot = slot, .attempt = draft.before.attempt});
    is_unknown = true;
  }
  if (is_unknown) {
    draft.next.worker = draft.before.worker;
    draft.next.server = draft.before.server;
  }
  return is_unknown;
}

bool hasFailedMember(const Draft& draft) {
  const auto& pods = draft.view.current();
  return std::any_of(pods.begin(), pods.end(),
                     [](const auto& entry) { return failureOf(*entry.second).has_value(); });
}

std::vector<Failure> failuresOf(const Draft& draft) {
  std::vector<Failure> failures;
  for (const auto& [slot, pod] : draft.view.current()) {
    if (auto failure = failureOf(*pod)) failures.push_back(*std::move(failure));
  }
  std::sort(failures.begin(), failures.end(), isMoreSpecific);
  return failures;
}

bool isExplained(const Draft& draft, const Failure& failure) {
  if (failure.kind != FailureKind::kConsequence) return false;
  if (!draft.before.recovery.replacements.empty()) return true;
  const auto& last = draft.before.last_failure;
  if (!last || isConsequence(last->reason)) return false;
  const auto since = failure.time.value_or(draft.now) - last->time;
  return since >= -kEffectWindow && since <= kEffectWindow;
}

std::optional<Failure> findCause(Draft& draft) {
  std::vector<Failure> failures = failuresOf(draft);
  addMissing(draft, failures);
  if (failures.empty()) return std::nullopt;
  Failure cause = *std::min_element(failures.begin(), failures.end(), isMoreSpecific);
  // Members that have waited long enough for the others have not failed.
  if (cause.reason == api::reasons::kLostPeers && hasUnstartedMember(draft))
    cause.kind = FailureKind::kUnjoined;
  // The last members of those that were replaced one by one.
  if (draft.view.changesMembers() && isExplained(draft, cause)) {
    cause.kind = FailureKind::kUnjoined;
    return cause;
  }
  if (const auto wait = waitFor(draft, cause)) {
    draft.againAfter(*wait);
    // Leave the counts of ended pods to the write that names their cause.
    draft.next.worker = draft.before.worker;
    draft.next.server = draft.before.server;
    return std::nullopt;
  }
  return cause;
}

}  // namespace sumac::trainingjob
