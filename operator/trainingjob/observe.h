#pragma once

#include <memory>

#include "operator/trainingjob/memory.h"
#include "operator/trainingjob/observed.h"
#include "operator/trainingjob/reconciler.h"

namespace sumac::trainingjob {

/// Makes sure that the memory has what the job is made of: of a job that was never seen, from its
/// spec; of one that an operator before us began, from its ConfigMap, by one GET. Fails when that
/// GET failed, or its answer cannot be used: then the pass is over.
Result<void> loadRecord(const ReconcilerParts& parts, const Defaults& defaults,
                        const api::TrainingJob& job, JobMemory& memory);

/// Everything one decision is made from: caches, memory, progress. Sends nothing.
Observed observe(const ReconcilerParts& parts, const ReconcilerOptions& options,
                 std::shared_ptr<const api::TrainingJob> job, JobMemory& memory);

}  // namespace sumac::trainingjob
