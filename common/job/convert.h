#pragma once

#include "common/job/training_job.h"
#include "common/yaml/node.h"

namespace sumac::job {

/// Converts a document to a job, except for `model.network`. Requires a checked document with all
/// defaults.
TrainingJob convert(const yaml::Node& root);

}  // namespace sumac::job
