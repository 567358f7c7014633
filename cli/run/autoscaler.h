#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/step.h"
#include "cli/run/job_observer.h"
#include "engine/nn/processors.h"
#include "job/document/training_job.h"
#include "planner/autoscaling/job_sizer.h"

namespace sumac::cli {

/// How many workers of a job these processors have room for: each has spec.training.threads of
/// them, of `auto` one. At least the job's fewest workers, and at most its most.
int roomFor(const job::TrainingJob& job, const worker::Processors& processors);

/// What a run of a job with spec.autoscaling begins with, for people: its bounds, and the sizes
/// among them that differ in speed. Lines.
std::string sizingBegin(const job::TrainingJob& job, int room);

/// How a run sized itself.
struct SizingRecord {
  struct Change {
    Step step = 0;       // the last one that was known to be done
    double seconds = 0;  // since the run began
    int from = 1;
    int to = 1;
    autoscaling::Reason reason = autoscaling::Reason::kMeasuring;
    std::string text;  // of it, for people
  };

  autoscaling::Policy policy = {};
  std::vector<Change> changes = {};
  double worker_seconds = 0;
  double server_seconds = 0;
  double cost = 0;  // at the policy's prices; without them 0
};

/// "throughput: workers 1 -> 2 -> 4, 431 worker-seconds, 120 server-seconds; cost 0.43 of 5".
std::string sizingText(const SizingRecord& record, int first_workers);

/// Adds the record to a complete result.json, as `autoscaling`. Fails where the file cannot be
/// read or written.
Result<void> addToResult(const std::filesystem::path& result, const SizingRecord& record);

/// Chooses the number of workers of a local run of a job with spec.autoscaling, after each report
/// of progress. What the job says and what is asked of it is also passed to and from another
/// observer.
class Autoscaler final : public JobObserver {
 public:
  /// A run that begins now, with the fewest workers, and has room for `room`. `other` outlives us;
  /// null: nobody.
  Autoscaler(const job::TrainingJob& job, int room, TimePoint now, JobObserver* other = nullptr);

  void onEvent(const JobEvent& event, TimePoint now) override;
  std::optional<TimePoint> stopAt() const override;
  std::optional<Resize> resizeAt() const override { return resize_; }
  void onResize() override { resize_.reset(); }

  /// Until the last event.
  SizingRecord record() const;

 private:
  double secondsAt(TimePoint time) const;
  void onRoster(const RosterBegan& roster, TimePoint now);
  void onChange(const MembersChanged& change);
  void onProgress(const Progress& progress, TimePoint now);

  const TimePoint begun_;
  JobObserver* const other_;
  autoscaling::JobSizer sizer_;
  std::optional<Resize> resize_;   // decided, and not begun
  bool is_pause_awaited_ = false;  // of the change that it made
  std::vector<SizingRecord::Change> changes_;
};

}  // namespace sumac::cli
