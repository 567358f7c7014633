#include "operator/trainingjob/attempts.h"

#include <algorithm>
#include <limits>

#include "operator/trainingjob/scale.h"

namespace sumac::trainingjob {

std::int64_t stepsSeen(const Draft& draft) {
  std::int64_t step = 0;
  if (draft.before.progress) step = draft.before.progress->step;
  if (draft.observed.progress) step = std::max(step, draft.observed.progress->step);
  return step;
}

int failuresInARow(const Draft& draft) {
  const api::Recovery& recovery = draft.before.recovery;
  return stepsSeen(draft) > recovery.highest_step ? 0 : recovery.failures;
}

void beginAttempt(Draft& draft) {
  draft.next.recovery.failures = failuresInARow(draft);
  draft.next.recovery.highest_step = std::max(draft.before.recovery.highest_step, stepsSeen(draft));
  draft.next.attempt = following(draft.before.attempt);
  // A job of fixed size keeps its size; resuming pins it anew.
  const int fixed = draft.before.worker.desired;
  draft.next.worker = {};
  draft.next.server = {};
  pinSize(draft);
  if (!draft.job.min_replicas || !draft.job.max_replicas) draft.next.worker.desired = fixed;
}

int following(int count) {
  return count < std::numeric_limits<int>::max() ? count + 1 : count;
}

}  // namespace sumac::trainingjob
