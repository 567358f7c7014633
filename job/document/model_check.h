#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/yaml/node.h"
#include "job/document/job.h"

namespace sumac::job {

/// Looks up the model of a checked document in the zoo, or reads its layers, and computes all
/// shapes; then checks, as far as the document alone tells, that data and training fit: text or
/// images, shapes and classes. Adds to `problems`, and returns the job's own network if it has one.
std::optional<model::NetworkSpec> checkModel(const yaml::Node& root, std::string_view file,
                                             std::vector<Problem>& problems);

/// The number of images to train on, if a checked document tells; nothing for text.
std::optional<std::int64_t> knownImages(const yaml::Node& root);

/// The number of classes of the data likewise.
std::optional<std::int64_t> knownClasses(const yaml::Node& root);

}  // namespace sumac::job
