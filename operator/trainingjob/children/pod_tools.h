#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/core/json_tree.h"
#include "base/core/slot.h"
#include "kube/api/members.h"
#include "operator/trainingjob/state/names.h"

namespace sumac::trainingjob {

using api::itemOf;
using api::memberOf;
using api::textOf;

/// The user's program that a role runs, as in spec.program; null where it runs ours: servers always
/// do.
nlohmann::json programOf(const JsonTree& document, Role role);

/// The list in this field of a map; created if it is absent.
nlohmann::json& listIn(nlohmann::json& map, const char* name);

/// The container `sumac` of a PodSpec; created as the first one if it is absent.
nlohmann::json& mainContainer(nlohmann::json& spec);

/// Removes the items with the same value of `key` from a list, then appends `item`.
void putItem(nlohmann::json& list, const char* key, nlohmann::json item);

}  // namespace sumac::trainingjob
