#pragma once

#include <optional>
#include <string>

#include "base/core/clock.h"
#include "base/core/step.h"
#include "job/progress/job_event.h"
#include "planner/autoscaling/decide.h"

#include "experiment/measure/sizing_record.h"

namespace sumac::cli {

/// Keeps what a job in a comparison of sizes says of itself: how many workers train, and how long
/// it takes. A state machine without a clock.
class SizingRecorder {
 public:
  void onEvent(const JobEvent& event, TimePoint now);
  /// A number of workers was decided on, or kept, where it is the one before; `why` in words.
  void onDecision(TimePoint at, int from, int to, autoscaling::Reason reason, std::string why);

  /// The end of the first step; nothing: there was none.
  std::optional<TimePoint> begun() const { return begun_; }
  /// After the first one.
  Step steps() const { return newest_ - first_; }

  experiment::SizingRecord take(std::string parameters_sha256);

 private:
  void onRoster(const RosterBegan& roster, TimePoint now);
  void onProgress(const Progress& progress, TimePoint now);
  void addPhase(double begin);
  double secondsAt(TimePoint time) const { return secondsBetween(*begun_, time); }

  int training_ = 0;  // workers, by the newest roster
  std::optional<TimePoint> begun_;
  Step first_ = 0;
  Step newest_ = 0;
  experiment::SizingRecord record_;
};

}  // namespace sumac::cli
