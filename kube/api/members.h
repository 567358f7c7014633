#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace sumac::api {

/// A member of a JSON object that came from outside; null where there is none, or no object. For
/// the few that are read one by one: whole objects are read by json.h.
const nlohmann::json& memberOf(const nlohmann::json& object, const char* name);

/// The same of a document.
const nlohmann::ordered_json& memberOf(const nlohmann::ordered_json& object, const char* name);

/// The same for a text; empty where there is none.
std::string textOf(const nlohmann::json& object, const char* name);

/// The item of a list of maps whose field `key` is `value`; nullptr where there is none.
const nlohmann::json* itemOf(const nlohmann::json& list, const char* key, std::string_view value);

}  // namespace sumac::api
