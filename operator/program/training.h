#pragma once

#include <functional>
#include <memory>

#include "common/base/clock.h"
#include "common/base/wall_time.h"
#include "common/kube/client.h"
#include "common/kube/events.h"
#include "common/log/log.h"
#include "operator/cache/cache.h"
#include "operator/control/reconciler.h"
#include "operator/program/flags.h"
#include "operator/trainingjob/record.h"

namespace sumac {

/// What training needs of the operator around it; all outlive it.
struct TrainingParts {
  kube::Client& client;
  cache::JobCache& jobs;
  cache::PodCache& pods;
  kube::EventSink& events;
  const Clock& clock;
  const WallClock& wall;
  std::function<int()> running_jobs;
  std::function<void(const api::ObjectKey&)> wake;  // look at this job soon
};

/// The only place where the operator's process meets operator/trainingjob: makes what reconciles
/// TrainingJobs and asks their members for progress.
std::unique_ptr<control::Reconciler> makeTraining(TrainingParts parts, const OperatorFlags& flags,
                                                  trainingjob::Defaults defaults, const Log& log);

}  // namespace sumac
