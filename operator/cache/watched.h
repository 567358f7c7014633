#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/log/log.h"
#include "kube/client/client.h"
#include "kube/client/watcher.h"
#include "operator/cache/first_list.h"
#include "operator/cache/job_store.h"
#include "operator/cache/pod_store.h"
#include "operator/cache/quota_store.h"
#include "operator/control/blocking_queue.h"
#include "operator/control/health.h"
#include "operator/control/operator_metrics.h"

namespace sumac::cache {

/// The caches of TrainingJobs, of their pods and of quotas, and the watchers that keep them up to
/// date. Each change of a job or a pod adds the key of its job to the queue, more room in a quota
/// those of the jobs that wait for it. The watchers also run in a process that does not lead, so a
/// new leader has full caches at once. Nothing waits for quotas: they may be forbidden.
class Watched {
 public:
  /// `synced` is called twice, on a watcher's thread: when the first list of jobs is complete, and
  /// when that of pods is. The references outlive us.
  Watched(control::BlockingQueue& queue, const Clock& clock, std::function<void()> synced,
          const Log& log);

  /// `client` must be stopped before stop() or our destruction.
  void start(kube::Transport& transport, kube::Client& client, const std::string& name_space,
             std::uint64_t seed);
  void stop();

  JobStore& jobs() { return jobs_; }
  PodStore& pods() { return pods_; }
  QuotaStore& quotas() { return quotas_; }
  void addTo(control::Health& health) const;
  std::vector<control::MetricsReading::Cache> readMetrics() const;

 private:
  void queueJobOf(const api::Pod& pod);

  control::BlockingQueue& queue_;
  const Clock& clock_;
  const Log log_;
  JobStore jobs_;
  PodStore pods_;
  QuotaStore quotas_;
  FirstList first_jobs_;
  FirstList first_pods_;
  std::unique_ptr<kube::Watcher> watch_jobs_;
  std::unique_ptr<kube::Watcher> watch_pods_;
  std::unique_ptr<kube::Watcher> watch_quotas_;
};

}  // namespace sumac::cache
