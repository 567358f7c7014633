#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "cli/cluster/cluster.h"
#include "cli/experiment/coordinator_log.h"
#include "cli/experiment/scale_course.h"

#include "experiment/document/experiment.h"
#include "experiment/measure/scale_record.h"

namespace sumac::cli {

/// Carries out a script of numbers of workers on a job of a cluster: reads the log of slot 0 over
/// all attempts, and sets the job's `/scale` at the times of the script. A change is complete with
/// the roster that has as many workers, at once if they train already, or, where members do not
/// change, with the attempt. Owned by the run's thread.
class ClusterScaling final : private CoordinatorLog::Listener {
 public:
  /// `cluster` outlives us. Requires a script with at least one step, in order of time.
  /// `on_failure` is called on the log's thread where the cluster refuses a change: finish() tells
  /// why.
  ClusterScaling(const Cluster& cluster, CoordinatorLog::Job job, ScaleCourse::Means means,
                 std::vector<experiment::ScaleStep> script, std::function<void()> on_failure);

  /// The job has succeeded: reads its log to the end, for a minute at most, and not after `stop` or
  /// a failure. Fails where the script was not carried out, with a message for people. Called once.
  Result<experiment::ScaleRecord> finish(std::string parameters_sha256,
                                         const std::stop_token& stop);

 private:
  void onAttempt(const api::Pod& pod) override;
  void onEvent(const std::string& pod_uid, const JobEvent& event, TimePoint time) override;
  bool hasBegun() const override { return course_.hasBegun(); }
  std::optional<TimePoint> dueAt() const override;
  void onDue(const std::stop_token& stop) override;
  void fail(std::string problem);

  const Cluster& cluster_;  // outlives us
  const api::ObjectKey job_;
  const ScaleCourse::Means means_;
  const std::function<void()> on_failure_;
  std::atomic<bool> has_failed_ = false;
  // Until the log's thread has ended, the following is its own.
  ScaleCourse course_;
  std::string problem_;
  bool is_confirmed_ = false;  // the cluster knows of the change that is due
  std::optional<TimePoint> ask_again_;
  std::map<std::string, int> workers_;  // of the attempts that are read, by uid of slot 0's pod
  std::string step_uid_;                // whose steps are read
  CoordinatorLog log_;                  // last: its thread uses all above
};

}  // namespace sumac::cli
