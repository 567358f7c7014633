#pragma once

#include <nlohmann/json_fwd.hpp>

#include "kube/api/objects.h"

namespace sumac::cache {

/// Namespace and name of any JSON, even if it is not a valid object: to remove it from a cache and
/// to name it in a log. Missing parts are empty.
api::ObjectKey keyOfRaw(const nlohmann::json& object);

}  // namespace sumac::cache
