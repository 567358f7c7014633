#include "operator/program/training.h"

#include <utility>

#include "common/base/version.h"
#include "operator/trainingjob/progress_poller.h"
#include "operator/trainingjob/reconciler.h"

namespace sumac {
namespace {

constexpr int kPollers = 4;  // a slot 0 that does not answer holds one up for two seconds

/// The reconciler and what it asks for progress.
class Training final : public control::Reconciler {
 public:
  Training(TrainingParts parts, const OperatorFlags& flags, trainingjob::Defaults defaults,
           const Log& log)
      : progress_(trainingjob::fetchProgressByHttp(), kPollers, std::move(parts.wake), parts.clock,
                  log),
        reconciler_(trainingjob::makeReconciler({.client = parts.client,
                                                 .jobs = parts.jobs,
                                                 .pods = parts.pods,
                                                 .events = parts.events,
                                                 .clock = parts.clock,
                                                 .wall_clock = parts.wall,
                                                 .progress = progress_,
                                                 .running_jobs = std::move(parts.running_jobs),
                                                 .log = log},
                                                {.defaults = std::move(defaults),
                                                 .in_flight = flags.in_flight,
                                                 .status_rate = flags.qps,
                                                 .operator_version = kVersion})) {}

  control::PassResult reconcile(const api::ObjectKey& key, const std::stop_token& stop) override {
    return reconciler_->reconcile(key, stop);
  }

 private:
  trainingjob::ProgressPoller progress_;
  const std::unique_ptr<control::Reconciler> reconciler_;
};

}  // namespace

std::unique_ptr<control::Reconciler> makeTraining(TrainingParts parts, const OperatorFlags& flags,
                                                  trainingjob::Defaults defaults, const Log& log) {
  return std::make_unique<Training>(std::move(parts), flags, std::move(defaults), log);
}

}  // namespace sumac
