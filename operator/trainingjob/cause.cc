#include "operator/trainingjob/cause.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "common/api/reasons.h"
#include "operator/trainingjob/attempts.h"
#include "operator/trainingjob/names.h"

namespace sumac::trainingjob {
namespace {

/// Pods of a running attempt that are not there. Before it runs, an absent pod is one that is still
/// to be made.
void addMissing(const Draft& draft, std::vector<Failure>& failures) {
  if (!draft.before.isTrue("Running")) return;
  for (const Slot slot : draft.view.expected()) {
    if (draft.view.find(slot) != nullptr || draft.absorbs.holds(slot)) continue;
    Failure failure;
    failure.kind = FailureKind::kMissing;
    failure.slot = slot;
    failure.pod_name = podName(draft.job.meta.key.name, slot);
    failure.reason = api::reasons::kPodDeleted;
    failure.message = "is gone: somebody other than the operator deleted it, or its node";
    failures.push_back(failure);
  }
}

/// Own failures and disruptions are told apart by time alone: whichever came first is the cause.
int rankOf(FailureKind kind) {
  if (kind == FailureKind::kForGood) return 0;
  if (kind == FailureKind::kOwn || kind == FailureKind::kDisruption) return 1;
  return kind == FailureKind::kMissing ? 2 : 3;
}

bool tellsMore(const Failure& a, const Failure& b) {
  const auto key = [](const Failure& failure) {
    return std::tuple(rankOf(failure.kind), failure.time.value_or(WallTime::max()), failure.slot);
  };
  return key(a) < key(b);
}

/// A member that has not ended although others lost it: its node may be gone.
bool hasSilentMember(const View& view) {
  return std::any_of(view.current().begin(), view.current().end(),
                     [](const auto& entry) { return !hasEnded(*entry.second); });
}

/// How long to wait for a better explanation than a consequence; nothing: no longer.
std::optional<Duration> waitFor(const Draft& draft, const Failure& consequence) {
  if (!consequence.time || !hasSilentMember(draft.view)) return std::nullopt;
  const bool is_last = failuresInARow(draft) >= draft.job.run_policy.backoff_limit;
  const std::chrono::seconds window = is_last ? kLastCauseWindow : kCauseWindow;
  const auto since = draft.now - *consequence.time;
  // A clock of the node that is far ahead must not make us wait for ever.
  if (since >= window || since < -window) return std::nullopt;
  return window - since;
}

}  // namespace

std::optional<Failure> findCause(Draft& draft) {
  std::vector<Failure> failures;
  for (const auto& [slot, pod] : draft.view.current()) {
    if (auto failure = failureOf(*pod)) failures.push_back(*std::move(failure));
  }
  addMissing(draft, failures);
  if (failures.empty()) return std::nullopt;
  const Failure cause = *std::min_element(failures.begin(), failures.end(), tellsMore);
  if (cause.kind == FailureKind::kConsequence) {
    if (const auto wait = waitFor(draft, cause)) {
      draft.againAfter(*wait);
      // Pods that end one after the other are told with what ended them, in one write.
      draft.next.worker = draft.before.worker;
      draft.next.server = draft.before.server;
      return std::nullopt;
    }
  }
  return cause;
}

}  // namespace sumac::trainingjob
