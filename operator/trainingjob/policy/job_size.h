#pragma once

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Whether the job's number of workers may change while it is not suspended.
bool isElastic(const api::TrainingJob& job);

/// The number of workers of an attempt that begins now: spec.worker.replicas, limited to min..max
/// and V.
int targetWorkers(const api::TrainingJob& job, const std::optional<JobRecord>& record);

/// Sets the size of the attempt that begins: status.replicaStatuses.*.desired.
void pinSize(Draft& draft);

}  // namespace sumac::trainingjob
