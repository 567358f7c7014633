#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace sumac::job {

/// `json` as block YAML that all YAML readers read alike: strings are quoted unless they are plain
/// words.
std::string toYaml(const nlohmann::ordered_json& json);

}  // namespace sumac::job
