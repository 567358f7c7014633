#include "exchange/course/step_timer.h"

#include <chrono>

namespace sumac::worker {

void StepTimer::end(TimePoint now) {
  const double seconds = std::chrono::duration<double>(now - begun_).count();
  ++steps_;
  (steps_ <= kWarmUpSteps ? warm_up_seconds_ : seconds_) += seconds;
}

double StepTimer::stepsPerSecond() const {
  const bool warm = steps_ > kWarmUpSteps;
  const auto steps = static_cast<double>(warm ? steps_ - kWarmUpSteps : steps_);
  const double seconds = warm ? seconds_ : warm_up_seconds_;
  return seconds > 0 ? steps / seconds : 0;
}

}  // namespace sumac::worker
