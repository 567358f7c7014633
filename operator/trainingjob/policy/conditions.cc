#include "operator/trainingjob/policy/conditions.h"

#include <algorithm>

#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/job_size.h"
#include "operator/trainingjob/policy/spec_check.h"

namespace sumac::trainingjob {
namespace {

using api::ConditionStatus;

/// Pods counted as active end with the job: they are not counted again after its end.
void endReplicas(api::ReplicaStatus& replicas, bool has_succeeded) {
  if (has_succeeded) replicas.succeeded += replicas.active;
  replicas.active = 0;
  replicas.ready = 0;
}

/// Sets the other conditions to False. `how` becomes the message of Running, which kubectl shows in
/// the column Message.
void endJob(Draft& draft, const std::string& reason, const std::string& how) {
  const std::string message = "the job has ended";
  setCondition(draft, "Running", ConditionStatus::kFalse, reason, how);
  setCondition(draft, "Restarting", ConditionStatus::kFalse, reason, message);
  setCondition(draft, "Suspended", ConditionStatus::kFalse, reason, message);
  draft.next.completion_time = draft.now;
  const bool has_succeeded = draft.next.isTrue("Succeeded");
  endReplicas(draft.next.worker, has_succeeded);
  endReplicas(draft.next.server, has_succeeded);
}

/// The message of condition Created, with a warning that users should see from the start.
std::string acceptance(const Observed& observed) {
  std::string text = "the operator has taken the job";
  if (observed.record && !observed.record->keeps_output) {
    text += "; its model is lost with its pods: spec.output has no volume that outlives them";
  }
  return text;
}

/// The highest attempt that a pod's label says, if a job may have come so far; else -1. Nobody can
/// tell a larger one that is right from one that somebody wrote there.
int newestAttempt(const View& view) {
  constexpr int kMostBelieved = 1'000'000;
  int newest = -1;
  for (const api::Pod* pod : view.all()) {
    if (pod->attempt <= kMostBelieved) newest = std::max(newest, pod->attempt);
  }
  return newest;
}

}  // namespace

void setCondition(Draft& draft, std::string_view type, ConditionStatus status,
                  const std::string& reason, const std::string& message) {
  for (api::Condition& condition : draft.next.conditions) {
    if (condition.type != type) continue;
    if (condition.status != status) condition.last_transition = draft.now;
    condition.status = status;
    condition.reason = reason;
    condition.message = message;
    return;
  }
  draft.next.conditions.push_back({.type = std::string(type),
                                   .status = status,
                                   .observed_generation = draft.job.meta.generation,
                                   .last_transition = draft.now,
                                   .reason = reason,
                                   .message = message});
}

bool hasReason(const api::JobStatus& status, std::string_view type, std::string_view reason) {
  const api::Condition* condition = status.find(type);
  return condition != nullptr && condition->reason == reason;
}

std::string stateOf(const api::JobStatus& status) {
  for (const char* type : {"Succeeded", "Failed", "Suspended"}) {
    if (status.isTrue(type)) return type;
  }
  if (hasReason(status, "Suspended", api::reasons::kSuspending)) return "Suspending";
  if (status.isTrue("Restarting")) return "Restarting";
  return status.isTrue("Running") ? "Running" : "Pending";
}

void acceptJob(Draft& draft) {
  const auto no = ConditionStatus::kFalse;
  setCondition(draft, "Created", ConditionStatus::kTrue, api::reasons::kAccepted,
               acceptance(draft.observed));
  setCondition(draft, "Running", no, api::reasons::kPending, startingMessage(draft));
  setCondition(draft, "Restarting", no, api::reasons::kActive, "nothing has failed");
  setCondition(draft, "Suspended", no, api::reasons::kActive, "spec.suspend is false");
  setCondition(draft, "Succeeded", no, api::reasons::kNotFinished, "training has not ended");
  setCondition(draft, "Failed", no, api::reasons::kNotFinished, "training has not ended");
  // Pods exist if somebody emptied the status: they belong to earlier attempts.
  if (!draft.view.all().empty()) {
    draft.next.attempt = following(newestAttempt(draft.view));
    warnOfLostProgress(draft);
  }
  if (!draft.job.suspend && !endsJob(draft)) draft.next.start_time = draft.now;
  pinSize(draft);
  draft.next.template_hash = draft.job.template_hash;
}

void succeed(Draft& draft, const JobResult& result, const std::string& message) {
  setCondition(draft, "Succeeded", ConditionStatus::kTrue, api::reasons::kCompleted, message);
  setCondition(draft, "Failed", ConditionStatus::kFalse, api::reasons::kCompleted, message);
  endJob(draft, api::reasons::kCompleted, message);
  draft.next.result = result;
  draft.note(api::reasons::kCompleted, message);
}

void fail(Draft& draft, const std::string& reason, const std::string& message) {
  setCondition(draft, "Failed", ConditionStatus::kTrue, reason, message);
  setCondition(draft, "Succeeded", ConditionStatus::kFalse, reason, message);
  endJob(draft, reason, message);
  draft.warn(reason, message);
}

}  // namespace sumac::trainingjob
