#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/clock.h"
#include "common/base/wall_time.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "common/log/log.h"
#include "operator/cache/cache.h"
#include "operator/control/reconciler.h"
#include "operator/trainingjob/progress_source.h"
#include "operator/trainingjob/record.h"

namespace sumac::trainingjob {

/// What a reconciler works with; all of it outlives the reconciler.
struct ReconcilerParts {
  kube::Client& client;
  cache::JobCache& jobs;
  cache::PodCache& pods;
  kube::EventSink& events;
  const Clock& clock;
  const WallClock& wall_clock;
  ProgressSource& progress;
  std::function<int()> running_jobs;
  Log log;
};

struct ReconcilerOptions {
  Defaults defaults;
  int in_flight = 16;       // requests of all passes at once
  double status_rate = 50;  // requests a second that the operator may send
  std::string operator_version;
};

/// Observes, plans and applies, one TrainingJob a pass. A pass asks plan() up to four times: again
/// at once after a status that had to stand first, and after something was refused, so that the
/// status says so. Nothing that a pass remembers is needed by the next one to be right.
///
/// Safe from any thread, one pass a key at a time. A job that is gone is forgotten by a pass that
/// does not find it.
std::unique_ptr<control::Reconciler> makeReconciler(ReconcilerParts parts,
                                                    ReconcilerOptions options);

}  // namespace sumac::trainingjob
