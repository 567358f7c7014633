#pragma once

#include "base/core/clock.h"
#include "base/core/wall_time.h"
#include "base/log/log.h"
#include "base/telemetry/published.h"
#include "base/trace/recorder.h"
#include "exchange/client/worker_status.h"

namespace sumac::worker {

/// What a training uses of its process, and outlives it.
struct Surroundings {
  const Clock& clock;
  const WallClock& wall_clock;
  const Log& log;
  Published<TrainerSnapshot>& published;
  trace::Recorder* recorder = nullptr;  // null: nothing is traced
};

}  // namespace sumac::worker
