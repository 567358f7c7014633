#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "cli/experiment/sizing_recorder.h"
#include "cli/run/autoscaler.h"
#include "cli/run/job_observer.h"

#include "experiment/cells/cells.h"
#include "experiment/document/experiment.h"
#include "experiment/measure/sizing_record.h"

namespace sumac::cli {

/// Where a run keeps by what factor an event slows this worker's emulated computing.
std::filesystem::path slowFileOf(const std::filesystem::path& run_folder, int worker);

/// One local run in a comparison of sizes: its number of workers is chosen by the Autoscaler of
/// `sumac run`, or fixed, and events happen to it at their times after its first step. Keeps what
/// happened. An event that comes while members change waits until they train again.
///
/// A state machine without a clock. Owned by the thread that runs the job.
class SizedCourse final : public JobObserver {
 public:
  /// Of a run that begins now, in a folder, with `workers`; at most `room` of them fit at all.
  struct Begin {
    int workers = 1;
    int room = 1;
    std::filesystem::path folder;
    TimePoint now;
  };

  /// `cell` outlives us.
  SizedCourse(const experiment::Cell& cell, std::vector<experiment::ScriptedEvent> events,
              Begin begin);

  void onEvent(const JobEvent& event, TimePoint now) override;
  /// At once, where an event cannot happen.
  std::optional<TimePoint> stopAt() const override;
  std::optional<Resize> resizeAt() const override;
  void onResize() override { asked_ = target(); }
  std::optional<TimePoint> wakeAt() const override;
  void onTime(TimePoint now) override;
  std::optional<Slot> takeVictim() override;

  /// Why an event could not happen; empty: all did that were due.
  const std::string& problem() const { return problem_; }
  /// Steps after the first one.
  Step steps() const { return recorder_.steps(); }

  experiment::SizingRecord take(std::string parameters_sha256);

 private:
  int target() const;
  void happen(const experiment::ScriptedEvent& event);

  const std::vector<experiment::ScriptedEvent> events_;
  const Begin begin_;
  std::optional<Autoscaler> autoscaler_;  // none: the number is fixed
  int wanted_;                            // workers, if there is room
  int room_;
  int asked_;  // of the run
  std::size_t next_event_ = 0;
  std::optional<Slot> victim_;
  TimePoint seen_;  // the newest event of the job
  std::string problem_;
  SizingRecorder recorder_;
};

}  // namespace sumac::cli
