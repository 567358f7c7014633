#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/job/training_job.h"

namespace sumac::job {

/// What is legal but slow in this job, each with better choices
/// (docs/design/exchange.md#choosing-v). `samples`: images to train on, if that is known.
std::vector<std::string> warningsFor(const TrainingJob& job, std::optional<std::int64_t> samples);

}  // namespace sumac::job
