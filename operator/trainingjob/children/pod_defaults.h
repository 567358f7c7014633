#pragma once

#include <nlohmann/json_fwd.hpp>

#include "common/base/slot.h"
#include "operator/trainingjob/record.h"

namespace sumac::trainingjob {

/// The template below all others: what a member's pod is when nobody says anything.
nlohmann::json builtInTemplate();

/// Puts into the merged PodSpec what is still absent and cannot simply lie below, because a part of
/// it would not fit the rest: image, command, ports, readiness probe, tolerations, /tmp.
void fillPodSpec(nlohmann::json& spec, const Defaults& defaults, Role role);

}  // namespace sumac::trainingjob
