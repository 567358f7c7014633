#pragma once

#include <cstdint>

#include "base/core/clock.h"
#include "base/core/step.h"

namespace sumac::worker {

/// Time spent inside steps. The first steps of a run warm caches and connections up and do not
/// count; evaluation and checkpoints lie between end() and begin(). A value type.
class StepTimer {
 public:
  static constexpr std::int64_t kWarmUpSteps = 3;

  void begin(TimePoint now) { begun_ = now; }
  void end(TimePoint now);

  /// Steps a second over the counted steps; over all of them when there were no more than the
  /// warm-up's.
  double stepsPerSecond() const;

 private:
  TimePoint begun_{};
  std::int64_t steps_ = 0;
  double warm_up_seconds_ = 0;
  double seconds_ = 0;
};

}  // namespace sumac::worker
