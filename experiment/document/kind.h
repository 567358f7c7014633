#pragma once

#include <optional>
#include <string_view>

#include "base/yaml/node.h"
#include "job/document/job.h"

namespace sumac::experiment {

/// Whether a document says that it is an Experiment; it may be wrong otherwise.
bool isExperiment(std::string_view text);

/// Whether a node may be a TrainingJob: a map that does not say that it is anything else.
bool isJob(const yaml::Node& document);

/// What is wrong with a TrainingJob in place of an Experiment: its fields would be many problems.
/// Nothing for any other document.
std::optional<job::Problem> jobInstead(std::string_view text, std::string_view file);

}  // namespace sumac::experiment
