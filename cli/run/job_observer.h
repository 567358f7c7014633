#pragma once

#include <optional>
#include <string>

#include "base/core/clock.h"
#include "base/core/slot.h"
#include "job/progress/job_event.h"

namespace sumac::cli {

/// Another number of workers.
struct Resize {
  TimePoint time;
  int workers = 1;
  std::string line = {};  // shown when it is done; empty: nothing is
};

/// Watches a local job and may end it early. Called on the thread that runs the job.
class JobObserver {
 public:
  virtual ~JobObserver() = default;

  /// What the job said of itself, as it came.
  virtual void onEvent(const JobEvent& event, TimePoint now) = 0;

  /// When to stop the job at a checkpoint, as SIGTERM does; nothing: not. Asked again after each
  /// event.
  virtual std::optional<TimePoint> stopAt() const = 0;

  /// When the job is to go on with another number of workers; nothing: not. Asked as stopAt() is,
  /// of a job whose members may change.
  virtual std::optional<Resize> resizeAt() const { return std::nullopt; }

  /// A line to show, once. Asked after each event.
  virtual std::optional<std::string> takeNote() { return std::nullopt; }

  /// The time of resizeAt() has come, and the job was given that number.
  virtual void onResize() {}

  /// When onTime() is to be called; nothing: not. Asked as stopAt() is.
  virtual std::optional<TimePoint> wakeAt() const { return std::nullopt; }
  virtual void onTime(TimePoint /*now*/) {}

  /// A member to kill now, as a lost machine ends it; nothing: none. Asked after onTime().
  virtual std::optional<Slot> takeVictim() { return std::nullopt; }
};

}  // namespace sumac::cli
