#include "operator/trainingjob/policy/attempts.h"

#include <algorithm>
#include <limits>

#include "base/process/termination_message.h"
#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/job_size.h"

namespace sumac::trainingjob {
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
  draft.next.recovery.replacements.clear();
  draft.next.recovery.highest_step = std::max(draft.before.recovery.highest_step, stepsSeen(draft));
  draft.next.attempt = following(draft.before.attempt);
  draft.next.membership.term = 0;  // slot 0 begins again
  // A job of fixed size keeps its size; resuming sets it again.
  const int fixed = draft.before.worker.desired;
  draft.next.worker = {};
  draft.next.server = {};
  pinSize(draft);
  if (!isElastic(draft.job)) draft.next.worker.desired = fixed;
  noteScale(draft);
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
