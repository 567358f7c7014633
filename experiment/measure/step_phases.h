#pragma once

#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "common/progress/worker_times.h"

namespace sumac::experiment {

/// Where the time of a step went: the mean over the workers, and over all steps of a run with its
/// warm-up. What is left of a step lies between these.
struct StepPhases {
  double gradient_seconds = 0;   // computing gradients
  double update_seconds = 0;     // updating parameters
  double sum_wait_seconds = 0;   // waiting for sums: the exchange that computing does not hide
  double data_wait_seconds = 0;  // waiting for samples

  bool operator==(const StepPhases&) const = default;
};

/// The mean over workers that trained so many steps; nothing where none of them said, or there is
/// no step.
std::optional<StepPhases> phasesOf(const std::vector<WorkerTimes>& workers, double steps);

/// As a part of a run's file, and back; nothing for anything else.
nlohmann::ordered_json toJson(const StepPhases& phases);
std::optional<StepPhases> stepPhasesFrom(const nlohmann::json& json);

}  // namespace sumac::experiment
