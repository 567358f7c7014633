#include <algorithm>

#include "base/core/check.h"
#include "engine/optimizer/optimizer.h"
#include "engine/optimizer/power.h"

namespace sumac::worker {
namespace {

double decay(const job::ScheduleSpec& schedule, std::int64_t epoch) {
  switch (schedule.name) {
    case job::ScheduleName::kConstant: return 1.0;
    case job::ScheduleName::kStep:
      SUMAC_CHECK(schedule.every_epochs > 0, schedule.every_epochs);
      return power(schedule.factor, epoch / schedule.every_epochs);
    case job::ScheduleName::kExponential: return power(schedule.factor, epoch);
    case job::ScheduleName::kHold:
      return power(schedule.factor, std::max<std::int64_t>(0, epoch + 1 - schedule.hold_epochs));
  }
  return 1.0;
}

}  // namespace

double learningRate(const job::OptimizerSpec& optimizer, const job::ScheduleSpec& schedule,
                    Step step, Step steps_per_epoch) {
  SUMAC_CHECK(step >= 1 && steps_per_epoch >= 1, step, steps_per_epoch);
  const double rate = optimizer.learning_rate * decay(schedule, (step - 1) / steps_per_epoch);
  if (step >= schedule.warmup_steps) return rate;
  return rate * static_cast<double>(step) / static_cast<double>(schedule.warmup_steps);
}

}  // namespace sumac::worker
