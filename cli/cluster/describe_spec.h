#pragma once

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace sumac::cli {

/// What a job trains and how, a few lines: {"Model", "lenet5"}, ... Reads any shape of spec.
std::vector<std::pair<std::string, std::string>> specLines(const nlohmann::json& spec);

}  // namespace sumac::cli
