#include "job/progress/step_phases.h"

#include <nlohmann/json.hpp>

#include "job/progress/json_fields.h"

namespace sumac {
namespace {

namespace names = internal::names;

// In a report each phase counts from the start of the worker.
struct PhaseSoFar {
  const char* name;
  std::optional<double> Progress::*so_far;
  double StepPhases::*phase;
};
constexpr PhaseSoFar kPhases[] = {
    {names::kGradientSeconds, &Progress::gradient_seconds, &StepPhases::gradient_seconds},
    {names::kUpdateSeconds, &Progress::update_seconds, &StepPhases::update_seconds},
    {names::kSumWaitSeconds, &Progress::sum_wait_seconds, &StepPhases::sum_wait_seconds},
    {names::kDataWaitSeconds, &Progress::data_wait_seconds, &StepPhases::data_wait_seconds}};

}  // namespace

std::optional<StepPhases> phasesOf(const Progress& before, const Progress& after) {
  if (after.step <= before.step) return std::nullopt;
  StepPhases mean;
  for (const auto& [name, so_far, phase] : kPhases) {
    const auto& from = before.*so_far;
    const auto& to = after.*so_far;
    if (!from || !to || *to < *from) return std::nullopt;
    mean.*phase = (*to - *from) / static_cast<double>(after.step - before.step);
  }
  return mean;
}

nlohmann::ordered_json phasesJson(const Progress& progress) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, so_far, phase] : kPhases)
    internal::putDecimal(object, name, progress.*so_far);
  if (const auto& straggler = progress.straggler) {
    auto& told = object[names::kStraggler] = {{names::kWorker, straggler->worker}};
    internal::putDecimal(told, names::kSlowdown, straggler->slowdown);
  }
  return object;
}

Progress withoutPhases(Progress progress) {
  for (const auto& [name, so_far, phase] : kPhases)
    (progress.*so_far).reset();
  progress.straggler.reset();
  return progress;
}

}  // namespace sumac
