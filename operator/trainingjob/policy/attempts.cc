#include "operator/trainingjob/policy/attempts.h"

#include <algorithm>
#include <limits>

#include "common/api/reasons.h"
#include "common/process/termination_message.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/job_size.h"

namespace sumac::trainingjob {
namespace {

/// Caches lag by seconds; after a connection of a watch broke unnoticed, by two minutes.
constexpr std::chrono::minutes kLatestStatus{3};

/// The first pod that is ahead of the status, if it is not new.
const api::Pod* findOldPodAhead(const Draft& draft) {
  for (const api::Pod* pod : draft.view.all()) {
    const bool is_ahead = pod->attempt > draft.before.attempt;
    if (is_ahead && pod->meta.created && draft.now - *pod->meta.created >= kLatestStatus) {
      return pod;
    }
  }
  return nullptr;
}

}  // namespace

std::int64_t stepsSeen(const Draft& draft) {
  std::int64_t step = 0;
  if (draft.before.progress) step = draft.before.progress->step;
  if (draft.observed.progress) step = std::max(step, draft.observed.progress->step);
  for (const auto& [slot, pod] : draft.view.current()) {
    if (!pod->terminated || pod->terminated->exit_code == 0) continue;
    step = std::max(step, LastWords::parse(pod->terminated->message).step.value_or(0));
  }
  return step;
}

int failuresInARow(const Draft& draft) {
  const api::Recovery& recovery = draft.before.recovery;
  return stepsSeen(draft) > recovery.highest_step ? 0 : recovery.failures;
}

int disruptionsInARow(const Draft& draft) {
  const api::Recovery& recovery = draft.before.recovery;
  return stepsSeen(draft) > recovery.highest_step ? 0 : recovery.disruptions;
}

void beginAttempt(Draft& draft) {
  draft.next.recovery.failures = failuresInARow(draft);
  draft.next.recovery.disruptions = disruptionsInARow(draft);
  draft.next.recovery.not_before.reset();
  draft.next.recovery.highest_step = std::max(draft.before.recovery.highest_step, stepsSeen(draft));
  draft.next.attempt = following(draft.before.attempt);
  // A job of fixed size keeps its size; resuming sets it again.
  const int fixed = draft.before.worker.desired;
  draft.next.worker = {};
  draft.next.server = {};
  pinSize(draft);
  if (!isElastic(draft.job)) draft.next.worker.desired = fixed;
  noteScale(draft);
}

bool overtakePods(Draft& draft) {
  const api::Pod* const pod = findOldPodAhead(draft);
  if (pod == nullptr) return false;
  const std::string message = "pod " + pod->meta.key.name + " has attempt " +
                              std::to_string(pod->attempt) +
                              " in its label, which this job has not reached: all pods are "
                              "created again";
  beginAttempt(draft);
  draft.next.attempt = following(draft.view.newestAttempt());
  if (!draft.job.suspend) {
    setCondition(draft, "Restarting", api::ConditionStatus::kTrue, api::reasons::kRestarting,
                 message);
    setCondition(draft, "Running", api::ConditionStatus::kFalse, api::reasons::kRestarting,
                 message);
    warnOfLostProgress(draft);
  }
  draft.warn(api::reasons::kRestarting, message);
  return true;
}

bool losesProgress(const Draft& draft) {
  return draft.observed.record && !draft.observed.record->keeps_checkpoints;
}

void warnOfLostProgress(Draft& draft) {
  if (!losesProgress(draft)) return;
  draft.warn(api::reasons::kNoCheckpoint,
             "the job starts again at step 0: spec.checkpoint has no volume that outlives pods");
}

int following(int count) {
  return count < std::numeric_limits<int>::max() ? count + 1 : count;
}

}  // namespace sumac::trainingjob
