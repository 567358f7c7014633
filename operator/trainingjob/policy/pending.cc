#include "operator/trainingjob/policy/pending.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "common/api/reasons.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/deletion.h"
#include "operator/trainingjob/policy/failure.h"
#include "operator/trainingjob/policy/job_size.h"

namespace sumac::trainingjob {
namespace {

constexpr std::string_view kPullError = "ErrImagePull";
constexpr std::string_view kPullBackOff = "ImagePullBackOff";
// Waiting reasons of every pod that starts normally.
constexpr std::array<std::string_view, 2> kStarting = {"ContainerCreating", "PodInitializing"};
constexpr int kHttpForbidden = 403;
constexpr int kHttpInvalid = 422;

Obstacle refusalOf(const Refusal& refusal) {
  if (refusal.is_failure) {
    return {api::reasons::kRequestFailing,
            "a request for " + refusal.what + " has failed for 30 s or more: " + refusal.message};
  }
  const char* reason = api::reasons::kRefused;
  if (refusal.status == kHttpInvalid) reason = api::reasons::kPodRefused;
  if (refusal.status == kHttpForbidden) reason = api::reasons::kForbidden;
  if (refusal.is_quota) reason = api::reasons::kQuotaExceeded;
  return {reason, "the API server rejected " + refusal.what + ": " + refusal.message};
}

Obstacle waitingFor(const api::Pod& pod, const std::string& reason, const std::string& message) {
  std::string text = "pod " + pod.meta.key.name + ": " + reason;
  if (!message.empty()) text += ": " + message;
  return {reason, text};
}

std::optional<Obstacle> waitOf(const api::Pod& pod) {
  if (hasEnded(pod) || pod.is_running) return std::nullopt;
  if (!pod.is_scheduled && !pod.unscheduled_reason.empty()) {
    return waitingFor(pod, reasonOr(pod.unscheduled_reason, "Unschedulable"),
                      pod.unscheduled_message);
  }
  const std::string& reason = pod.waiting_reason;
  const bool is_starting =
      reason.empty() || std::find(kStarting.begin(), kStarting.end(), reason) != kStarting.end();
  if (is_starting) return std::nullopt;
  // The two reasons alternate while a pull is retried: use one for both.
  const std::string& word = reason == kPullError ? std::string(kPullBackOff) : reason;
  return waitingFor(pod, reasonOr(word, api::reasons::kPending), pod.waiting_message);
}

/// A pod of an earlier attempt that still exists long after it was force-deleted.
std::optional<Obstacle> findOverdue(const Draft& draft) {
  for (const api::Pod* pod : draft.view.old()) {
    if (!pod->meta.deleted || draft.now < *pod->meta.deleted + 2 * kOverdue) continue;
    return Obstacle{api::reasons::kDeletionOverdue,
                    "pod " + pod->meta.key.name +
                        " of an earlier attempt does not go: look at its finalizers and its node"};
  }
  return std::nullopt;
}

/// While a pull is retried, two messages alternate: one names the cause, one only says that the
/// kubelet waits. Returns whether the second must not replace the first.
bool isSamePull(const Draft& draft, const Obstacle& obstacle) {
  const api::Condition* running = draft.before.find("Running");
  if (obstacle.reason != kPullBackOff || running->reason != obstacle.reason) return false;
  const std::string start = obstacle.message.substr(0, obstacle.message.find(": ") + 2);
  return running->message.starts_with(start) &&
         obstacle.message.find("Back-off pulling") != std::string::npos;
}

void becomeRunning(Draft& draft) {
  std::string message = "all " + std::to_string(draft.view.expected().size()) +
                        " pods of attempt " + std::to_string(draft.before.attempt) + " run";
  if (const std::string limit = limitOf(draft); !limit.empty()) message += "; " + limit;
  setCondition(draft, "Running", api::ConditionStatus::kTrue, api::reasons::kRunning, message);
  setCondition(draft, "Restarting", api::ConditionStatus::kFalse, api::reasons::kRunning, message);
  draft.note(api::reasons::kRunning, message);
}

/// Reason and message of Running while pods start normally.
Obstacle startingNormally(const Draft& draft) {
  const api::Condition* restarting = draft.before.find("Restarting");
  if (restarting->status == api::ConditionStatus::kTrue) {
    return {restarting->reason == api::reasons::kScaled ? api::reasons::kScaled
                                                        : api::reasons::kRestarting,
            restarting->message};
  }
  return {api::reasons::kPending, startingMessage(draft)};
}

}  // namespace

std::optional<Obstacle> findPendingReason(const Draft& draft) {
  if (auto obstacle = findObstacle(draft)) return obstacle;
  if (auto overdue = findOverdue(draft)) return overdue;
  if (draft.observed.refusal) return refusalOf(*draft.observed.refusal);
  for (const auto& [slot, pod] : draft.view.current()) {
    if (auto wait = waitOf(*pod)) return wait;
  }
  return std::nullopt;
}

void updateRunning(Draft& draft) {
  if (draft.before.isTrue("Running")) return;
  if (draft.view.areAllReady()) return becomeRunning(draft);
  const auto reason = findPendingReason(draft);
  if (reason && isSamePull(draft, *reason)) return;
  const bool is_news = reason && !hasReason(draft.before, "Running", reason->reason);
  const Obstacle said = reason.value_or(startingNormally(draft));
  setCondition(draft, "Running", api::ConditionStatus::kFalse, said.reason, said.message);
  if (is_news) draft.warn(said.reason, said.message);
}

}  // namespace sumac::trainingjob
