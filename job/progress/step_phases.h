#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "job/progress/progress.h"

namespace sumac {

/// Where the time of a step went, a mean over steps. What is left of a step lies between these.
struct StepPhases {
  double gradient_seconds = 0;   // computing gradients
  double update_seconds = 0;     // updating parameters
  double sum_wait_seconds = 0;   // waiting for sums: the exchange that computing does not hide
  double data_wait_seconds = 0;  // waiting for samples

  double sum() const {
    return gradient_seconds + update_seconds + sum_wait_seconds + data_wait_seconds;
  }

  bool operator==(const StepPhases&) const = default;
};

/// Those of the worker that reports, over the steps between two of its reports; nothing where one
/// of them does not say, or there is no step.
std::optional<StepPhases> phasesOf(const Progress& before, const Progress& after);

/// What a report says of each phase so far, and of a straggler, as /progress has it: decimals as
/// text. Read back by progressFromJson().
nlohmann::ordered_json phasesJson(const Progress& progress);

/// A report that says nothing of these, as a status keeps it.
Progress withoutPhases(Progress progress);

}  // namespace sumac
