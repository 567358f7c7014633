#include "job/progress/step_phases.h"

namespace sumac {
namespace {

// In a report each phase counts from the start of the worker.
struct PhaseSoFar {
  std::optional<double> Progress::*so_far;
  double StepPhases::*phase;
};
constexpr PhaseSoFar kPhases[] = {{&Progress::gradient_seconds, &StepPhases::gradient_seconds},
                                  {&Progress::update_seconds, &StepPhases::update_seconds},
                                  {&Progress::sum_wait_seconds, &StepPhases::sum_wait_seconds},
                                  {&Progress::data_wait_seconds, &StepPhases::data_wait_seconds}};

}  // namespace

std::optional<StepPhases> phasesOf(const Progress& before, const Progress& after) {
  if (after.step <= before.step) return std::nullopt;
  StepPhases mean;
  for (const auto& [so_far, phase] : kPhases) {
    const auto& from = before.*so_far;
    const auto& to = after.*so_far;
    if (!from || !to || *to < *from) return std::nullopt;
    mean.*phase = (*to - *from) / static_cast<double>(after.step - before.step);
  }
  return mean;
}

}  // namespace sumac
