#include "operator/trainingjob/policy/job_size.h"

#include <algorithm>

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

void pinSize(Draft& draft) {
  draft.next.worker.desired = targetWorkers(draft.job, draft.observed.record);
  draft.next.server.desired = draft.observed.record ? draft.observed.record->servers : 0;
}

}  // namespace sumac::trainingjob
