#pragma once

#include <cstdint>

#include "base/core/slot.h"
#include "job/document/training_job.h"

namespace sumac {

/// The most files that member `slot` of a job has open at once: connections, logs, data and what a
/// program needs anyway. Requires a slot of the job.
std::int64_t memberFiles(const job::TrainingJob& job, Slot slot);

/// The most of any member.
std::int64_t mostMemberFiles(const job::TrainingJob& job);

}  // namespace sumac
