#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "job/progress/step_phases.h"

namespace sumac::experiment {

using sumac::phasesOf;
using sumac::StepPhases;

/// As a part of a run's file, and back; nothing for anything else.
nlohmann::ordered_json toJson(const StepPhases& phases);
std::optional<StepPhases> stepPhasesFrom(const nlohmann::json& json);

}  // namespace sumac::experiment
