#include "operator/trainingjob/policy/policies.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/autoscaling.h"
#include "operator/trainingjob/policy/cause.h"
#include "operator/trainingjob/policy/cleanup.h"
#include "operator/trainingjob/policy/completion.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/creation.h"
#include "operator/trainingjob/policy/deadlines.h"
#include "operator/trainingjob/policy/deletion.h"
#include "operator/trainingjob/policy/draft.h"
#include "operator/trainingjob/policy/job_size.h"
#include "operator/trainingjob/policy/members.h"
#include "operator/trainingjob/policy/pending.h"
#include "operator/trainingjob/policy/recovery.h"
#include "operator/trainingjob/policy/replacement.h"
#include "operator/trainingjob/policy/scale.h"
#include "operator/trainingjob/policy/spec_check.h"
#include "operator/trainingjob/policy/status_progress.h"
#include "operator/trainingjob/policy/suspension.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {
namespace {

void count(const Draft& draft, Role role, api::ReplicaStatus& replicas) {
  replicas = {.desired = replicas.desired};
  for (const auto& [slot, pod] : draft.view.current()) {
    if (slot.role != role) continue;
    if (!hasEnded(*pod)) {
      ++replicas.active;
      if (pod->is_ready && !draft.view.isBeingDeleted(*pod)) ++replicas.ready;
    } else {
      const bool ended_well = pod->terminated && pod->terminated->exit_code == 0;
      ++(ended_well ? replicas.succeeded : replicas.failed);
    }
  }
}

/// Counts the pods of the current attempt by role: active, ready, succeeded, failed. Leaves
/// `desired` unchanged.
void countReplicas(Draft& draft) {
  count(draft, Role::kWorker, draft.next.worker);
  count(draft, Role::kServer, draft.next.server);
}

/// Sets the fields that follow from the rest of the status: state, workers, coordinator, selector,
/// observedGeneration.
void deriveColumns(Draft& draft) {
  api::JobStatus& next = draft.next;
  const std::string& name = draft.job.meta.key.name;
  next.observed_generation = draft.job.meta.generation;
  for (api::Condition& condition : next.conditions)
    condition.observed_generation = draft.job.meta.generation;
  next.state = stateOf(next);
  next.workers = std::to_string(next.worker.ready) + "/" + std::to_string(next.worker.desired);
  next.worker_selector = workerSelector(name);
  if (draft.observed.record) next.coordinator = podName(name, draft.view.coordinator());
}

// When to look again if the record is not read yet.
constexpr std::chrono::seconds kLook{5};

/// At least this long between two statuses that are written only for the counts of pods that start
/// or stop.
constexpr std::chrono::seconds kBetweenCounts{10};

/// Runs the policies in order. Each may end the pass, because the next ones would act on a status
/// that is not written yet.
void runPolicies(Draft& draft) {
  followAutoscaling(draft);
  keepAccounts(draft);
  if (draft.before.conditions.empty()) {
    acceptJob(draft);
    if (endsJob(draft)) {
      fail(draft, api::reasons::kInvalidSpec, draft.observed.problem->message);
    } else if (draft.job.suspend && draft.view.all().empty()) {
      suspendOrResume(draft);
    }
    return;
  }
  countReplicas(draft);
  if (endsJob(draft)) {
    return fail(draft, api::reasons::kInvalidSpec, draft.observed.problem->message);
  }
  if (complete(draft)) return;
  keepMembership(draft);
  if (suspendOrResume(draft)) return;
  if (draft.view.changesMembers() && draft.view.hasLivingWorker()) {
    if (replaceFailed(draft)) return;
  } else {
    if (lookUpMissing(draft)) return showTrouble(draft);
    if (const auto cause = findCause(draft)) {
      if (!goBackAfter(draft, *cause)) recover(draft, *cause);
      return;
    }
  }
  if (enforceDeadlines(draft)) return;
  // Another attempt would begin before the failure is counted.
  if (!hasFailedMember(draft)) {
    autoscale(draft);
    if (scale(draft)) return;
  }
  if (correctSize(draft)) return;
  updateRunning(draft);
  showScale(draft);
  deletePods(draft, draft.view.old());
  create(draft);
}

/// The status without the fields that do not justify a write of their own, or not at once: they are
/// updated with the next change of another field.
api::JobStatus essenceOf(const api::JobStatus& status) {
  api::JobStatus essence = status;
  essence.operator_version.clear();
  essence.recovery.handled_pod_uids.clear();
  essence.progress.reset();
  if (status.autoscaling) {
    essence.autoscaling.emplace();
    essence.autoscaling->workers_wanted = status.autoscaling->workers_wanted;
  }
  essence.membership = {};
  essence.membership.changes = status.membership.changes;
  if (!status.isTrue("Running")) {
    // While pods start and stop, each change would cause a write.
    essence.worker = {.desired = status.worker.desired};
    essence.server = {.desired = status.server.desired};
    essence.workers.clear();
  }
  return essence;
}

/// Whether to write the counts of pods that start or stop alone; if it is too early, requests a
/// pass for then.
bool areCountsDue(Draft& draft) {
  if (draft.next.worker == draft.before.worker && draft.next.server == draft.before.server) {
    return false;
  }
  const auto& age = draft.observed.status_age;
  if (!age || *age >= kBetweenCounts) return true;
  draft.againAfter(kBetweenCounts - *age);
  return false;
}

/// Pods that no longer exist need not be remembered. Within an attempt the newest are: another
/// operator's cache may be older, and show them as if they had just failed.
void forgetGonePods(Draft& draft) {
  constexpr std::size_t kMostGone = 64;
  auto& handled = draft.next.recovery.handled_pod_uids;
  const bool goes_on = canChangeMembers(draft) && draft.next.attempt == draft.before.attempt;
  const std::size_t kept = goes_on ? kMostGone : 0;
  std::size_t surplus = handled.size() - std::min(handled.size(), kept);
  const auto& pods = draft.view.all();
  std::erase_if(handled, [&](const std::string& uid) {
    const bool is_gone = std::none_of(pods.begin(), pods.end(),
                                      [&](const api::Pod* pod) { return pod->meta.uid == uid; });
    return is_gone && surplus > 0 && surplus-- > 0;
  });
}

Decision toDecision(Draft& draft) {
  deriveColumns(draft);
  const bool has_progress = !draft.before.isFinished() && isProgressDue(draft);
  const bool has_change = !(essenceOf(draft.next) == essenceOf(draft.before)) || has_progress ||
                          !(draft.next.recovery == draft.before.recovery) || areCountsDue(draft) ||
                          isCourseDue(draft);
  if (has_change && !draft.before.isFinished() && !draft.next.result) keepProgress(draft);
  Decision result;
  result.actions = std::move(draft.actions);
  result.events = std::move(draft.events);
  result.again_after = draft.again_after;
  result.sizing = std::move(draft.sizing);
  if (!has_change) return result;
  forgetGonePods(draft);
  draft.next.operator_version = draft.observed.operator_version;
  result.status = std::move(draft.next);
  return result;
}

/// While the record cannot be read, which is shown: nothing is decided. A suspended job needs none.
Decision decideUnread(Draft& draft) {
  draft.againAfter(kLook);
  if (!draft.job.suspend || !draft.before.isTrue("Suspended")) showTrouble(draft);
  Decision result{.actions = {}, .status = {}, .events = {}, .again_after = draft.again_after};
  if (draft.next == draft.before) return result;
  draft.next.operator_version = draft.observed.operator_version;
  result.status = std::move(draft.next);
  result.events = std::move(draft.events);
  return result;
}

}  // namespace

Decision decide(const Observed& observed, WallTime now) {
  const api::TrainingJob& job = *observed.job;
  if (!job.isManagedByUs() || job.meta.deleted) return {};
  Draft draft(observed, now);
  const bool is_unread = !observed.record && !observed.problem;
  const bool is_behind = !draft.before.conditions.empty() && draft.view.isAhead();
  if (draft.before.isFinished()) {
    cleanUp(draft);
  } else if (is_unread) {
    return decideUnread(draft);
  } else if (is_behind) {
    return {.actions = {LookUpJob{}}, .status = {}, .events = {}, .again_after = {}};
  } else {
    runPolicies(draft);
  }
  return toDecision(draft);
}

}  // namespace sumac::trainingjob
