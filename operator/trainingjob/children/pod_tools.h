#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "common/api/members.h"
#include "operator/trainingjob/names.h"

namespace sumac::trainingjob {

using api::memberOf;
using api::textOf;

/// The item of a list of maps whose field `key` is `value`; nullptr where there is none.
const nlohmann::json* itemOf(const nlohmann::json& list, const char* key, std::string_view value);

/// The list in this field of a map, made where it is absent.
nlohmann::json& listIn(nlohmann::json& map, const char* name);

/// The container `sumac` of a PodSpec; made, and first, where it is absent.
nlohmann::json& mainContainer(nlohmann::json& spec);

/// Takes the items with this value of `key` out of a list, then puts `item` at its end.
void putItem(nlohmann::json& list, const char* key, nlohmann::json item);

}  // namespace sumac::trainingjob
