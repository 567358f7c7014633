#include "operator/trainingjob/policy/scale.h"

#include "common/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/job_size.h"

namespace sumac::trainingjob {

bool scale(Draft& draft) {
  if (!isElastic(draft.job)) return false;
  const int from = draft.before.worker.desired;
  const int to = targetWorkers(draft.job, draft.observed.record);
  if (from == to) return false;
  const std::string message =
      "from " + std::to_string(from) + " to " + std::to_string(to) +
      " workers: all pods are created again and resume from the newest checkpoint";
  beginAttempt(draft);
  setCondition(draft, "Restarting", api::ConditionStatus::kTrue, api::reasons::kScaled, message);
  setCondition(draft, "Running", api::ConditionStatus::kFalse, api::reasons::kScaled, message);
  draft.note(api::reasons::kScaled, message);
  return true;
}

}  // namespace sumac::trainingjob
