#include "operator/trainingjob/policy/job_size.h"

#include <algorithm>

#include "common/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/conditions.h"

namespace sumac::trainingjob {

bool isElastic(const api::TrainingJob& job) {
  return job.min_replicas && job.max_replicas;
}

int targetWorkers(const api::TrainingJob& job, const std::optional<JobRecord>& record) {
  int workers = job.worker_replicas;
  if (isElastic(job)) {
    workers = std::min(std::max(workers, *job.min_replicas), *job.max_replicas);
  }
  if (record) workers = std::min(workers, record->logical_workers);
  return std::max(workers, 1);
}

std::string limitOf(const Draft& draft) {
  const auto& record = draft.observed.record;
  if (!record || isElastic(draft.job) || draft.job.worker_replicas <= record->logical_workers) {
    return "";
  }
  const std::string parts = std::to_string(record->logical_workers);
  return "spec.worker.replicas is " + std::to_string(draft.job.worker_replicas) +
         ", and the job runs with " + parts + ": its mini-batches have " + parts +
         " parts (training.logicalWorkers) since it began, and no worker can be without one";
}

void pinSize(Draft& draft) {
  draft.next.worker.desired = targetWorkers(draft.job, draft.observed.record);
  draft.next.server.desired =
      draft.observed.record ? draft.observed.record->servers : draft.before.server.desired;
}

bool correctSize(Draft& draft) {
  const auto& record = draft.observed.record;
  if (!record) return false;
  draft.next.server.desired = record->servers;
  if (draft.before.worker.desired <= record->logical_workers) return false;
  const std::string parts = std::to_string(record->logical_workers);
  const std::string message =
      "an attempt was planned with " + std::to_string(draft.before.worker.desired) +
      " workers, and the job has " + parts + " parts: it has " + parts + " workers";
  if (!draft.view.all().empty()) {
    beginAttempt(draft);
    draft.next.recovery.not_before = draft.before.recovery.not_before;  // a pause goes on
    warnOfLostProgress(draft);
    setCondition(draft, "Restarting", api::ConditionStatus::kTrue, api::reasons::kScaled, message);
    setCondition(draft, "Running", api::ConditionStatus::kFalse, api::reasons::kScaled, message);
  }
  draft.next.worker.desired = record->logical_workers;
  draft.warn(api::reasons::kWorkersLimited, message);
  return true;
}

std::string startingMessage(const Draft& draft) {
  const std::string limit = limitOf(draft);
  return limit.empty() ? "pods are being made" : "pods are being made; " + limit;
}

}  // namespace sumac::trainingjob
