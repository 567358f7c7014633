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

// The same in what a worker reports: there each counts from the start of the run.
struct PhaseSoFar {
  std::optional<double> Progress::*so_far;
  double StepPhases::*phase;
};
constexpr PhaseSoFar kPhasesSoFar[] = {
    {&Progress::gradient_seconds, &StepPhases::gradient_seconds},
    {&Progress::update_seconds, &StepPhases::update_seconds},
    {&Progress::sum_wait_seconds, &StepPhases::sum_wait_seconds},
    {&Progress::data_wait_seconds, &StepPhases::data_wait_seconds}};

}  // namespace

std::optional<StepPhases> phasesOf(const Progress& before, const Progress& after) {
  if (after.step <= before.step) return std::nullopt;
  StepPhases mean;
  for (const auto& [so_far, phase] : kPhasesSoFar) {
    const auto& from = before.*so_far;
    const auto& to = after.*so_far;
    if (!from || !to || *to < *from) return std::nullopt;
    mean.*phase = (*to - *from) / static_cast<double>(after.step - before.step);
  }
  return mean;
}

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
