#include "operator/trainingjob/policy/pending.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/deletion.h"
#include "operator/trainingjob/policy/failure.h"
#include "operator/trainingjob/policy/job_size.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

constexpr std::string_view kUnschedulable = "Unschedulable";  // and not "SchedulingGated"
constexpr std::string_view kPullError = "ErrImagePull";
constexpr std::string_view kPullBackOff = "ImagePullBackOff";
// Waiting reasons of every pod that starts normally.
constexpr std::array<std::string_view, 2> kStarting = {"ContainerCreating", "PodInitializing"};
constexpr int kHttpForbidden = 403;
constexpr int kHttpInvalid = 422;

/// The API server names the limit, and not the LimitRange that it comes from.
std::string limitAdvice(const std::string& message) {
  const bool is_above = message.find("must be less than or equal to ") != std::string::npos &&
                        message.find(" limit") != std::string::npos;
  if (!is_above) return "";
  return "; if the template has no such limit, it is the default of a LimitRange of the namespace: "
         "set requests and limits in the job's template";
}

Obstacle refusalOf(const Refusal& refusal) {
  if (refusal.is_absent) return {api::reasons::kCodeMissing, refusal.message};
  if (refusal.is_failure) {
    return {api::reasons::kRequestFailing,
            "a request for " + refusal.what + " has failed for 30 s or more: " + refusal.message};
  }
  const char* reason = api::reasons::kRefused;
  if (refusal.status == kHttpInvalid) reason = api::reasons::kPodRefused;
  if (refusal.status == kHttpForbidden) reason = api::reasons::kForbidden;
  if (refusal.is_quota) reason = api::reasons::kQuotaExceeded;
  return {reason, "the API server rejected " + refusal.what + ": " + refusal.message +
                      limitAdvice(refusal.message)};
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

/// The first of these pods that still exists long after it was force-deleted.
std::optional<Obstacle> findOverdue(const Draft& draft, const std::vector<const api::Pod*>& pods) {
  for (const api::Pod* pod : pods) {
    if (!pod->meta.deleted || draft.now < *pod->meta.deleted + 2 * kOverdue) continue;
    return Obstacle{api::reasons::kDeletionOverdue,
                    "pod " + pod->meta.key.name +
                        " was deleted and still exists: look at its finalizers and its node"};
  }
  return std::nullopt;
}

/// While a pull is retried, two messages alternate: one names the cause, one only says that the
/// kubelet waits. Returns whether the second must not replace the first.
bool isSamePull(const Draft& draft, const Obstacle& obstacle) {
  const api::Condition* running = draft.before.find("Running");
  if (obstacle.reason != kPullBackOff || running->reason != obstacle.reason) return false;
  const std::string start = obstacle.message.substr(0, obstacle.message.find(": ") + 2);
  return running->message.find(start) != std::string::npos &&
         obstacle.message.find("Back-off pulling") != std::string::npos;
}

/// `text` without its numbers: those of nodes come and go while the cause stays.
std::string withoutNumbers(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

/// Whether nobody has been told of this obstacle yet: another reason, or another cause for a pod
/// that has no node.
bool isNews(const Draft& draft, const Obstacle& obstacle) {
  const api::Condition* const running = draft.before.find("Running");
  if (running == nullptr || running->reason != obstacle.reason) return true;
  return obstacle.reason == kUnschedulable &&
         withoutNumbers(running->message).find(withoutNumbers(obstacle.message)) ==
             std::string::npos;
}

std::string runningMessage(const Draft& draft) {
  std::string message = "all " + std::to_string(draft.view.expected().size()) +
                        " pods of attempt " + std::to_string(draft.before.attempt) + " run";
  if (const std::string limit = limitOf(draft); !limit.empty()) message += "; " + limit;
  return message;
}

/// While members come and go: how many run, and what the others wait for.
void showMembers(Draft& draft) {
  const api::ReplicaStatus& workers = draft.next.worker;
  std::string message =
      std::to_string(workers.ready) + " of " + std::to_string(workers.desired) + " workers run";
  const api::ReplicaStatus& servers = draft.next.server;
  if (servers.ready < servers.desired)
    message += ", " + std::to_string(servers.ready) + " of " + std::to_string(servers.desired) +
               " servers";
  const auto reason = findPendingReason(draft);
  if (reason && isSamePull(draft, *reason)) return;
  const bool is_news = reason && isNews(draft, *reason);
  if (reason) message += "; " + reason->message;
  setCondition(draft, "Running", api::ConditionStatus::kTrue,
               reason ? reason->reason : api::reasons::kRunning, message);
  if (is_news) draft.warn(reason->reason, reason->message);
}

/// Also says what is wrong with an object that a job gets while it runs, such as its policy of
/// readers, and when that is over.
void keepRunning(Draft& draft) {
  const bool is_whole = draft.view.areAllReady() && draft.view.refused().empty();
  if (canChangeMembers(draft) && !is_whole) return showMembers(draft);
  if (draft.observed.refusal) return showTrouble(draft);
  if (!canChangeMembers(draft) && hasReason(draft.before, "Running", api::reasons::kRunning))
    return;
  setCondition(draft, "Running", api::ConditionStatus::kTrue, api::reasons::kRunning,
               runningMessage(draft));
}

/// A job whose members may change and that has a least number of workers may train without the
/// rest.
bool hasBegunToTrain(const Draft& draft) {
  return canChangeMembers(draft) && isElastic(draft.job) && draft.observed.progress;
}

void becomeRunning(Draft& draft) {
  const std::string message = runningMessage(draft);
  setCondition(draft, "Running", api::ConditionStatus::kTrue, api::reasons::kRunning, message);
  setCondition(draft, "Restarting", api::ConditionStatus::kFalse, api::reasons::kRunning, message);
  draft.note(api::reasons::kRunning, message);
  api::ScaleStatus& scale = draft.next.scale;
  scale.since.reset();
  if (scale.refused && scale.refused->workers == draft.next.worker.desired) scale.refused.reset();
}

/// Reason and message of Running while pods start normally.
Obstacle startingNormally(const Draft& draft) {
  const api::Condition* restarting = draft.before.find("Restarting");
  if (restarting->status == api::ConditionStatus::kTrue) {
    const bool is_scale = restarting->reason == api::reasons::kScaled ||
                          restarting->reason == api::reasons::kScaleDoesNotFit;
    return {is_scale ? restarting->reason : api::reasons::kRestarting, restarting->message};
  }
  return {api::reasons::kPending, startingMessage(draft)};
}

}  // namespace

std::optional<Obstacle> findPendingReason(const Draft& draft) {
  if (auto obstacle = findObstacle(draft)) return obstacle;
  if (auto overdue = findOverdue(draft, draft.view.old())) return overdue;
  if (draft.observed.refusal) return refusalOf(*draft.observed.refusal);
  for (const auto& [slot, pod] : draft.view.current()) {
    if (auto wait = waitOf(*pod)) return wait;
  }
  if (draft.view.refused().empty()) return std::nullopt;
  return Obstacle{
      api::reasons::kWorkerRefused,
      memberName(draft.view.refused().front()) + " does not fit the job, which goes on without it"};
}

std::optional<Obstacle> findLackOfRoom(const Draft& draft) {
  for (const auto& [slot, pod] : draft.view.current()) {
    const bool is_unplaced = !pod->is_scheduled && pod->unscheduled_reason == kUnschedulable;
    if (is_unplaced) return waitOf(*pod);
  }
  return findQuotaLack(draft);
}

std::optional<Obstacle> findQuotaLack(const Draft& draft) {
  const auto& refusal = draft.observed.refusal;
  if (!refusal || !refusal->is_quota) return std::nullopt;
  // What remains of an earlier attempt's refusal says nothing about this one.
  for (const Slot slot : draft.view.expected()) {
    const std::string pod = kindAndName(kube::kPods, podName(draft.job.meta.key.name, slot));
    if (refusal->what == pod && draft.view.find(slot) == nullptr) return refusalOf(*refusal);
  }
  return std::nullopt;
}

std::optional<Obstacle> findStuckDeletion(const Draft& draft) {
  if (draft.observed.refusal) return refusalOf(*draft.observed.refusal);
  return findOverdue(draft, draft.view.all());
}

void showTrouble(Draft& draft) {
  const api::Condition* running = draft.before.find("Running");
  if (!draft.observed.refusal || running == nullptr) return;
  const Obstacle trouble = refusalOf(*draft.observed.refusal);
  const bool is_news = running->reason != trouble.reason;
  setCondition(draft, "Running", running->status, trouble.reason, trouble.message);
  if (is_news) draft.warn(trouble.reason, trouble.message);
}

void updateRunning(Draft& draft) {
  if (draft.before.isTrue("Running")) return keepRunning(draft);
  if (draft.view.areAllReady() || hasBegunToTrain(draft)) return becomeRunning(draft);
  const auto reason = findPendingReason(draft);
  if (reason && isSamePull(draft, *reason)) return;
  const bool is_news = reason && isNews(draft, *reason);
  const Obstacle said = reason.value_or(startingNormally(draft));
  setCondition(draft, "Running", api::ConditionStatus::kFalse, said.reason, said.message);
  if (is_news) draft.warn(said.reason, said.message);
}

}  // namespace sumac::trainingjob
