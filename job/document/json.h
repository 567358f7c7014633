#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/yaml/node.h"

namespace sumac::job {

/// The tree as JSON; fields keep their order. Reads back to the same tree.
nlohmann::ordered_json toJson(const yaml::Node& node);

}  // namespace sumac::job
