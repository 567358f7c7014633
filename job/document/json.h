#pragma once

#include <string>

#include "base/yaml/node.h"

namespace sumac::job {

/// The tree as JSON text, indented by two; fields keep their order. Reads back to the same tree.
std::string toJson(const yaml::Node& node);

}  // namespace sumac::job
