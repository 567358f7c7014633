#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/kube/client.h"
#include "common/kube/watcher.h"
#include "common/log/log.h"
#include "operator/cache/first_list.h"
#include "operator/cache/job_store.h"
#include "operator/cache/pod_store.h"
#include "operator/control/blocking_queue.h"
#include "operator/control/health.h"
#include "operator/control/metrics.h"

namespace sumac::cache {

/// The TrainingJobs and their pods as the API server has them, and the two watchers that keep them
/// so. Each change puts the job that it concerns into the queue. Watchers run from start() on,
/// whoever leads: so a new leader knows everything at once.
class Watched {
 public:
  /// `synced` is called on a watcher's thread for each list that is complete for the first time:
  /// twice. The references outlive us.
  Watched(control::BlockingQueue& queue, const Clock& clock, std::function<void()> synced,
          const Log& log);

  /// `client` must have been stopped before our destruction or stop().
  void start(kube::Transport& transport, kube::Client& client, const std::string& name_space,
             std::uint64_t seed);
  void stop();

  JobStore& jobs() { return jobs_; }
  PodStore& pods() { return pods_; }
  void addTo(control::Health& health) const;
  std::vector<control::MetricsReading::Cache> readMetrics() const;

 private:
  void queueJobOf(const api::Pod& pod);

  control::BlockingQueue& queue_;
  const Clock& clock_;
  const Log log_;
  JobStore jobs_;
  PodStore pods_;
  FirstList first_jobs_;
  FirstList first_pods_;
  std::unique_ptr<kube::Watcher> watch_jobs_;
  std::unique_ptr<kube::Watcher> watch_pods_;
};

}  // namespace sumac::cache
