#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "cli/cluster/cluster.h"
#include "cli/experiment/coordinator_log.h"
#include "cli/experiment/experiment_quota.h"
#include "cli/experiment/sizing_recorder.h"
#include "cli/experiment/told_sizes.h"

#include "experiment/document/experiment.h"
#include "experiment/measure/figures.h"

namespace sumac::cli {

/// What happens to a run in a comparison of sizes, and the experiment that owns its quota.
struct SizingScript {
  std::vector<experiment::ScriptedEvent> events;  // in order of time: room and kill
  ExperimentMark mark;
  int servers = 0;  // pods beside the workers
};

/// One run of a cluster in a comparison of sizes: reads the log of slot 0, and does what the script
/// says at its times after the first step. Room is a ResourceQuota, and the workers above it are
/// evicted, those with the highest indices first; kill deletes a worker's pod at once. Owned by the
/// run's thread. Its destruction removes the quota.
class ClusterSizing final : private CoordinatorLog::Listener {
 public:
  /// `cluster` outlives us. `on_failure` is called on the log's thread where an event cannot
  /// happen: finish() tells why.
  ClusterSizing(const Cluster& cluster, CoordinatorLog::Job job, SizingScript script,
                std::function<void()> on_failure);

  /// The job has succeeded: reads its log to the end, for a minute at most, and not after `stop` or
  /// a failure. Fails where an event could not happen, with a message for people. Called once.
  Result<experiment::RunFigures> finish(const std::vector<ToldSizes::Told>& told,
                                        std::string parameters_sha256, const std::stop_token& stop);

  /// Nothing happens any more, and the quota goes. Returns what people should know where that
  /// failed; empty: it is gone.
  std::string end();

 private:
  void onAttempt(const api::Pod& /*pod*/) override {}
  void onEvent(const std::string& pod_uid, const JobEvent& event, TimePoint time) override;
  bool hasBegun() const override { return recorder_.begun().has_value(); }
  std::optional<TimePoint> dueAt() const override;
  void onDue(const std::stop_token& stop) override;
  Result<void> happen(const experiment::ScriptedEvent& event, const std::stop_token& stop);
  Result<void> leaveRoom(int workers, const std::stop_token& stop);
  Result<void> kill(int worker, const std::stop_token& stop);
  Result<std::vector<api::Pod>> pods(const std::stop_token& stop) const;

  const Cluster& cluster_;  // outlives us
  const CoordinatorLog::Job job_;
  const SizingScript script_;
  const std::function<void()> on_failure_;
  std::atomic<bool> has_failed_ = false;
  // Until the log's thread has ended, the following is its own.
  ExperimentQuota quota_;
  SizingRecorder recorder_;
  std::size_t next_event_ = 0;
  std::string problem_;
  std::optional<CoordinatorLog> log_;  // last: its thread uses all above
};

}  // namespace sumac::cli
