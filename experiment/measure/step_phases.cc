#include "experiment/measure/step_phases.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"

namespace sumac::experiment {
namespace {

// The phases in files of runs, each with its name.
struct PhaseName {
  const char* name;
  double StepPhases::*phase;
};
constexpr PhaseName kPhaseNames[] = {{"gradientSeconds", &StepPhases::gradient_seconds},
                                     {"updateSeconds", &StepPhases::update_seconds},
                                     {"sumWaitSeconds", &StepPhases::sum_wait_seconds},
                                     {"dataWaitSeconds", &StepPhases::data_wait_seconds}};

}  // namespace

nlohmann::ordered_json toJson(const StepPhases& phases) {
  nlohmann::ordered_json json;
  for (const auto& [name, phase] : kPhaseNames)
    json[name] = rounded(phases.*phase);
  return json;
}

std::optional<StepPhases> stepPhasesFrom(const nlohmann::json& json) {
  StepPhases phases;
  if (!json.is_object()) return std::nullopt;
  for (const auto& [name, phase] : kPhaseNames) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_number()) return std::nullopt;
    const double seconds = found->get<double>();
    if (!std::isfinite(seconds) || seconds < 0) return std::nullopt;
    phases.*phase = seconds;
  }
  return phases;
}

}  // namespace sumac::experiment
