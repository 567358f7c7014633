#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/core/result.h"
#include "engine/model_file/description_text.h"

namespace sumac::worker {

/// What to do about a file that is not whole; ends a message.
inline constexpr const char* kAnotherCopy = "; take another copy of the file, or train again";

/// That of a description whose metadata `name` breaks a rule.
Error wrongMetadata(const std::string& name, const std::string& rule);

/// One of a file's metadata, parsed; null where it is missing or no JSON.
nlohmann::json jsonOf(const Metadata& metadata, const char* name);

}  // namespace sumac::worker
