#pragma once

#include <cstdint>

#include "job/progress/progress.h"

namespace sumac {

/// Where a job stands, without its rates.
inline Progress progressOf(Step step, Step total_steps, std::int64_t epoch, double loss) {
  Progress progress;
  progress.step = step;
  progress.total_steps = total_steps;
  progress.epoch = epoch;
  progress.loss = loss;
  return progress;
}

}  // namespace sumac
