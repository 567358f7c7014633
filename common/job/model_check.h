#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "common/job/job.h"
#include "common/yaml/node.h"

namespace sumac::job {

/// Looks the model of a checked document up in the zoo, or reads its layers, and computes all
/// shapes; then whether data and training go with it, as far as the document alone says: text or
/// not, shapes and classes. The job's own network is returned; problems are added.
std::optional<model::NetworkSpec> checkModel(const yaml::Node& root, std::string_view file,
                                             std::vector<Problem>& problems);

}  // namespace sumac::job
