#pragma once

#include "common/job/training_job.h"
#include "common/yaml/node.h"

namespace sumac::job {

/// The job that a checked document with all defaults stands for, but for `model.network`. Requires
/// such a document.
TrainingJob convert(const yaml::Node& root);

}  // namespace sumac::job
