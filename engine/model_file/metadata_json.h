#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "engine/model_file/description_text.h"

namespace sumac::worker {

/// That of a description whose metadata `name` breaks a rule.
Error wrongMetadata(const std::string& name, const std::string& rule);

/// One of a file's metadata, parsed; null where it is missing or no JSON.
nlohmann::json jsonOf(const Metadata& metadata, const char* name);

/// A name as text or, where it is not UTF-8, which JSON cannot hold, as a list of its bytes.
nlohmann::json nameJson(const std::string& name);
nlohmann::json namesJson(const std::vector<std::string>& names);

/// The reverse; nothing unless it is a name, or a list of names, of a byte or more each.
std::optional<std::string> nameIn(const nlohmann::json& node);
std::optional<std::vector<std::string>> namesIn(const nlohmann::json& node);

}  // namespace sumac::worker
