#include "operator/trainingjob/policy/suspension.h"

#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/deletion.h"
#include "operator/trainingjob/policy/job_size.h"
#include "operator/trainingjob/policy/pending.h"
#include "operator/trainingjob/policy/status_progress.h"

namespace sumac::trainingjob {
namespace {

using api::ConditionStatus;

constexpr const char* kStartsAgain =
    "training starts again at step 0, as spec.checkpoint has no volume that outlives pods";

std::string suspendingMessage(const Draft& draft) {
  return losesProgress(draft) ? std::string("spec.suspend is true: pods end; ") + kStartsAgain
                              : "spec.suspend is true: pods write a checkpoint and end";
}

void beginSuspension(Draft& draft) {
  const std::string message = suspendingMessage(draft);
  setCondition(draft, "Suspended", ConditionStatus::kFalse, api::reasons::kSuspending, message);
  setCondition(draft, "Running", ConditionStatus::kFalse, api::reasons::kSuspending, message);
  setCondition(draft, "Restarting", ConditionStatus::kFalse, api::reasons::kSuspending, message);
  warnOfLostProgress(draft);
}

/// Deletes the pods, and says in condition Running what keeps them from ending.
void continueSuspension(Draft& draft) {
  deletePods(draft, draft.view.all());
  if (draft.before.isTrue("Suspended")) return;  // the pods are new
  const auto stuck = findStuckDeletion(draft);
  const Obstacle said =
      stuck.value_or(Obstacle{api::reasons::kSuspending, suspendingMessage(draft)});
  setCondition(draft, "Running", ConditionStatus::kFalse, said.reason, said.message);
  if (stuck && !hasReason(draft.before, "Running", said.reason)) {
    draft.warn(said.reason, said.message);
  }
}

void endSuspension(Draft& draft) {
  std::string message = "spec.suspend is true: no pods";
  if (draft.before.start_time && losesProgress(draft)) message += std::string("; ") + kStartsAgain;
  const std::string skipped =
      draft.before.progress ? skippedText(*draft.before.progress) : std::string();
  if (!skipped.empty()) message += "; " + skipped;
  setCondition(draft, "Suspended", ConditionStatus::kTrue, api::reasons::kSuspended, message);
  setCondition(draft, "Running", ConditionStatus::kFalse, api::reasons::kSuspended, message);
  setCondition(draft, "Restarting", ConditionStatus::kFalse, api::reasons::kSuspended, message);
  draft.note(api::reasons::kSuspended, message);
}

void resume(Draft& draft) {
  // A job that was created suspended has had no attempt yet.
  if (draft.before.start_time) beginAttempt(draft);
  draft.next.scale = {};  // a new start: there is no size to go back to
  pinSize(draft);
  draft.next.template_hash = draft.job.template_hash;
  draft.next.start_time = draft.now;
  const std::string message =
      "spec.suspend is false: attempt " + std::to_string(draft.next.attempt) + " begins";
  setCondition(draft, "Suspended", ConditionStatus::kFalse, api::reasons::kResumed, message);
  setCondition(draft, "Running", ConditionStatus::kFalse, api::reasons::kPending,
               startingMessage(draft));
  draft.note(api::reasons::kResumed, message);
  if (const std::string limit = limitOf(draft); !limit.empty()) {
    draft.warn(api::reasons::kWorkersLimited, limit);
  }
}

}  // namespace

bool suspendOrResume(Draft& draft) {
  const bool is_suspended = draft.before.isTrue("Suspended");
  const bool is_going = hasReason(draft.before, "Suspended", api::reasons::kSuspending);
  if (!draft.job.suspend) {
    if (!is_suspended && !is_going) return false;
    resume(draft);
    return true;
  }
  // New pods may not be visible yet, so a job that has started first gets the status Suspending.
  const bool may_have_pods = draft.before.start_time && !is_going && !is_suspended;
  if (draft.view.all().empty() && !may_have_pods) {
    if (!is_suspended) endSuspension(draft);
    // While nothing runs, the status shows the size that the job would resume with.
    pinSize(draft);
  } else if (is_suspended || is_going) {
    continueSuspension(draft);
  } else {
    beginSuspension(draft);
  }
  return true;
}

}  // namespace sumac::trainingjob
