#pragma once

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// How many workers an attempt that begins now has: spec.worker.replicas, within min..max and V.
int targetWorkers(const api::TrainingJob& job, const std::optional<JobRecord>& record);

/// Gives the attempt that begins its size: status.replicaStatuses.*.desired.
void pinSize(Draft& draft);

/// Begins a new attempt where the number of workers of an elastic job was changed: no mode lets
/// workers come and go yet. A job of fixed size keeps what it began with until it is suspended.
/// Returns whether a status has to stand first.
bool scale(Draft& draft);

}  // namespace sumac::trainingjob
