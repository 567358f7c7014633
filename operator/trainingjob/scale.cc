#include "operator/trainingjob/scale.h"

#include <algorithm>

#include "common/api/reasons.h"
#include "operator/trainingjob/attempts.h"
#include "operator/trainingjob/conditions.h"

namespace sumac::trainingjob {
namespace {

bool isElastic(const api::TrainingJob& job) {
  return job.min_replicas && job.max_replicas;
}

}  // namespace

int targetWorkers(const api::TrainingJob& job, const std::optional<JobRecord>& record) {
  int workers = job.worker_replicas;
  if (isElastic(job)) {
    workers = std::min(std::max(workers, *job.min_replicas), *job.max_replicas);
  }
  if (record) workers = std::min(workers, record->logical_workers);
  return std::max(workers, 1);
}

void pinSize(Draft& draft) {
  draft.next.worker.desired = targetWorkers(draft.job, draft.observed.record);
  draft.next.server.desired = draft.observed.record ? draft.observed.record->servers : 0;
}

bool scale(Draft& draft) {
  if (!isElastic(draft.job)) return false;
  const int from = draft.before.worker.desired;
  const int to = targetWorkers(draft.job, draft.observed.record);
  if (from == to) return false;
  const std::string message =
      "from " + std::to_string(from) + " to " + std::to_string(to) +
      " workers: all pods are made again and go on from the newest checkpoint";
  beginAttempt(draft);
  setCondition(draft, "Restarting", api::ConditionStatus::kTrue, api::reasons::kScaled, message);
  setCondition(draft, "Running", api::ConditionStatus::kFalse, api::reasons::kScaled, message);
  draft.note(api::reasons::kScaled, message);
  return true;
}

}  // namespace sumac::trainingjob
