#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/api/objects.h"

namespace sumac::cache {

/// Namespace and name of anything, also of what cannot be read as an object: for removing it from a
/// cache and for naming it in a log. Parts that are not there are empty.
api::ObjectKey keyOfRaw(const nlohmann::json& object);

}  // namespace sumac::cache
