#pragma once

#include <string_view>

#include "base/yaml/node.h"

namespace sumac::experiment {

/// Whether a document says that it is an Experiment; it may be wrong otherwise.
bool isExperiment(std::string_view text);

/// Whether a node may be a TrainingJob: a map that does not say that it is anything else.
bool isJob(const yaml::Node& document);

}  // namespace sumac::experiment
