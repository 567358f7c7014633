#include "cli/experiment/told_sizes.h"

#include <utility>

#include "base/core/units.h"
#include "cli/cluster/failure_text.h"
#include "planner/report/autoscaling_words.h"

namespace sumac::cli {
namespace {

using autoscaling::Reason;

/// Whether the reason is a decision to keep the size, rather than that it is too early for one.
bool saysToStay(Reason reason) {
  return reason == Reason::kRightSize || reason == Reason::kNotWorth ||
         reason == Reason::kStraggler;
}

}  // namespace

void ToldSizes::onJob(const api::TrainingJob& job, TimePoint now) {
  if (job.status.autoscaling) return onChoice(*job.status.autoscaling, now);
  if (!job.autoscaling) onReplicas(job.worker_replicas, now);
}

void ToldSizes::onChoice(const api::AutoscalingStatus& choice, TimePoint now) {
  const auto reason = planner::reasonNamed(choice.reason);
  if (choice.workers_wanted < 1) return;
  const int from = std::exchange(workers_, choice.workers_wanted);
  if (from == 0 || !reason) return;
  const bool is_change = from != workers_;
  if (is_change) kept_.clear();
  if (!is_change && (!saysToStay(*reason) || !kept_.insert(*reason).second)) return;
  all_.push_back({now, from, workers_, *reason, oneLine(choice.message)});
}

void ToldSizes::onReplicas(int workers, TimePoint now) {
  const int from = std::exchange(workers_, workers);
  if (from == 0 || from == workers) return;
  all_.push_back({now, from, workers, Reason::kUtilization,
                  "its autoscaler asked for " + counted(workers, "worker")});
}

}  // namespace sumac::cli
