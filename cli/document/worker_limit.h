#pragma once

#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

namespace sumac::cli {

/// What a job's own pod template limits its workers to: limits.`resource` ("cpu", "memory") of
/// their main container, as it is written; nothing: no limit.
std::optional<std::string> workerLimit(const nlohmann::ordered_json& job,
                                       const std::string& resource);

/// That of memory, in bytes; nothing: none, or none that can be read.
std::optional<double> workerMemoryLimit(const nlohmann::ordered_json& job);

}  // namespace sumac::cli
