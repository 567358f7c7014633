#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/core/step.h"
#include "cli/run/job_observer.h"
#include "cli/run/sizing_record.h"
#include "engine/nn/processors.h"
#include "job/document/training_job.h"
#include "planner/autoscaling/job_sizer.h"
#include "planner/report/autoscaling_words.h"

namespace sumac::cli {

/// How many workers of a job these processors have room for: each has spec.training.threads of
/// them, of `auto` one. At least the job's fewest workers, and at most its most.
int roomFor(const job::TrainingJob& job, const worker::Processors& processors);

/// What a run of a job with spec.autoscaling begins with, for people: its bounds, and the sizes
/// among them that differ in speed. Lines.
std::string sizingBegin(const job::TrainingJob& job, int room);

/// Chooses the number of workers of a local run of a job with spec.autoscaling, after each report
/// of progress. What the job says and what is asked of it is also passed to and from another
/// observer.
class Autoscaler final : public JobObserver {
 public:
  /// A run that begins now, with the fewest workers, and has room for `room`. `other` outlives us;
  /// null: nobody. After an `earlier` attempt it begins with spec.worker.replicas, and goes on with
  /// what that observed, and used of deadline and budget until now.
  Autoscaler(const job::TrainingJob& job, int room, TimePoint now, JobObserver* other = nullptr,
             const std::optional<SizingRecord>& earlier = {});

  void onEvent(const JobEvent& event, TimePoint now) override;
  std::optional<TimePoint> stopAt() const override;
  std::optional<Resize> resizeAt() const override { return resize_; }
  void onResize() override { resize_.reset(); }
  std::optional<std::string> takeNote() override { return std::exchange(note_, std::nullopt); }

  /// From now on there is room for so many workers.
  void setRoom(int room);

  /// Until the last event. Who began the first attempt knows when that was.
  SizingRecord record() const;

  /// Its changes, and of each reason to keep a size the first since a change: `to` is `from` then.
  const std::vector<SizingRecord::Change>& decisions() const { return decisions_; }

 private:
  double secondsAt(TimePoint time) const;
  void onRoster(const RosterBegan& roster, TimePoint now);
  void onChange(const MembersChanged& change);
  void onProgress(const Progress& progress, TimePoint now);

  const TimePoint begun_;
  JobObserver* const other_;
  autoscaling::JobSizer sizer_;
  std::optional<Resize> resize_;        // decided, and not begun
  bool is_pause_awaited_ = false;       // of the change that it made
  std::set<autoscaling::Reason> told_;  // why it stays
  std::optional<std::string> note_;     // to show
  std::vector<SizingRecord::Change> decisions_;
};

}  // namespace sumac::cli
