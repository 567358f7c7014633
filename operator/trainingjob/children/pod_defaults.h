#pragma once

#include <nlohmann/json_fwd.hpp>

#include "base/core/slot.h"
#include "operator/trainingjob/state/record.h"

namespace sumac::trainingjob {

/// The template that all others override.
nlohmann::json builtInTemplate();

/// Fills in fields that are still missing from the merged PodSpec and that depend on its other
/// fields, so they cannot be in the built-in template: image, command, ports, readiness probe,
/// tolerations, requests, /tmp.
void fillPodSpec(nlohmann::json& spec, const Defaults& defaults, Role role);

}  // namespace sumac::trainingjob
