#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/core/clock.h"
#include "base/core/wall_time.h"
#include "base/log/log.h"
#include "kube/client/client.h"
#include "kube/client/events.h"
#include "operator/cache/cache.h"
#include "operator/control/reconciler.h"
#include "operator/trainingjob/progress/progress_source.h"
#include "operator/trainingjob/state/record.h"

namespace sumac::trainingjob {

/// What a reconciler of TrainingJobs works with; all references outlive it.
struct ReconcilerParts {
  kube::Client& client;
  cache::JobCache& jobs;
  cache::PodCache& pods;
  cache::QuotaCache& quotas;
  kube::EventSink& events;
  const Clock& clock;
  const WallClock& wall_clock;
  ProgressSource& progress;
  std::function<int()> running_jobs;
  Log log;
  /// A status now stands; `job` is as it was before.
  std::function<void(const api::TrainingJob& job, const api::JobStatus& written)> on_status = {};
};

struct ReconcilerOptions {
  Defaults defaults;
  int in_flight = 16;       // requests in flight, of all passes together
  double status_rate = 50;  // requests per second that the operator may send
  std::string operator_version;
};

/// Observes, decides and applies, one TrainingJob per pass. A pass calls decide() up to four times:
/// it repeats at once after a write-ahead status, after a request was rejected, so that the status
/// says so, and when the cluster is not as the decision assumed. No pass depends on what an earlier
/// one remembered.
///
/// Safe from any thread, with one pass at a time for each key. A pass that does not find the job
/// drops its notes.
std::unique_ptr<control::Reconciler> makeReconciler(ReconcilerParts parts,
                                                    ReconcilerOptions options);

}  // namespace sumac::trainingjob
