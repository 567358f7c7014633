#pragma once

#include <cstdint>

#include "base/core/clock.h"
#include "base/core/step.h"
#include "base/core/wall_time.h"
#include "base/log/log.h"
#include "base/telemetry/duration_counts.h"
#include "base/telemetry/published.h"
#include "base/trace/recorder.h"

namespace sumac::worker {

/// How a worker's training goes: what its trainer publishes after every step. A value type that
/// copies without allocating.
struct TrainerSnapshot {
  Step step = 0;  // done last
  Step total_steps = 0;
  std::int64_t epoch = 0;      // of that step, from 1
  double loss = 0;             // of that step's mini-batch
  Step steps = 0;              // done by this process
  std::int64_t samples = 0;    // of this worker's parts
  double compute_seconds = 0;  // of gradients and updates
  double update_seconds = 0;   // of these, updates
  double data_wait_seconds = 0;
  double sum_wait_seconds = 0;
  double evaluation_seconds = 0;
  DurationCounts step_durations;
  std::int64_t checkpoints = 0;  // written by this process
  double checkpoint_seconds = 0;
  Step checkpoint_step = 0;  // of the newest
};

/// What a training uses of its process, and outlives it.
struct Surroundings {
  const Clock& clock;
  const WallClock& wall_clock;
  const Log& log;
  Published<TrainerSnapshot>& published;
  trace::Recorder* recorder = nullptr;  // null: nothing is traced
};

}  // namespace sumac::worker
