#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "base/core/result.h"
#include "cli/cluster/cluster.h"
#include "cli/cluster/fetch.h"
#include "cli/cluster/inbox.h"
#include "cli/experiment/cell_object.h"
#include "cli/experiment/cell_runner.h"

namespace sumac::cli {

/// Runs cells as TrainingJobs of a cluster, each from a thread of its own. Owned by the
/// experiment's thread. A stop, or its destruction, deletes the jobs that are under way.
class ClusterRunner final : public CellRunner {
 public:
  struct Options {
    ExperimentMark mark;
    std::int64_t warmup_steps = 0;
    int parallel = 1;
    std::vector<experiment::ScaleStep> scale = {};  // of each run; empty: workers stay
    /// In a comparison of sizes, what happens to each run; nothing: it is none.
    std::optional<std::vector<experiment::ScriptedEvent>> sizing = {};
  };

  /// `cluster` outlives us; it must not end with `stop`, which is Ctrl-C: jobs are deleted then.
  ClusterRunner(const Cluster& cluster, Options options, std::stop_token stop);
  ~ClusterRunner() override;
  ClusterRunner(const ClusterRunner&) = delete;
  ClusterRunner& operator=(const ClusterRunner&) = delete;

  int most() const override { return options_.parallel; }
  void begin(const CellRun& run) override;
  EndedRun await() override;
  int takeSignal() override;

  /// Whether the cluster answers and lets us see the experiment's jobs.
  Result<void> checkCluster() const;

  /// Deletes the jobs that an earlier process of this experiment left, except those of runs that
  /// `is_wanted`: begin() takes these over. Returns the names of what was deleted. Fails where the
  /// cluster cannot be asked.
  Result<std::vector<std::string>> removeLeftovers(
      const std::function<bool(experiment::RunId)>& is_wanted);

 private:
  Result<std::vector<FetchedJob>> jobsThere() const;

  const Cluster& cluster_;  // outlives us
  const Options options_;
  std::stop_source ending_;  // of the stop, and of us
  const std::stop_callback<std::function<void()>> on_stop_;
  Inbox<EndedRun> ended_;
  std::map<experiment::RunId, std::jthread> threads_;  // last: they use all above
};

}  // namespace sumac::cli
