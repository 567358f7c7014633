#include "operator/trainingjob/policy/job_size.h"

#include <algorithm>

#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/conditions.h"

namespace sumac::trainingjob {
namespace {

// Later ones wait no longer.
constexpr int kMostTries = 16;

/// How long a number of workers waits after so many tries in a row.
std::chrono::minutes waitAfter(int tries) {
  const auto wait = kScaleRetry * (1 << (std::clamp(tries, 1, kMostTries) - 1));
  return std::min<std::chrono::minutes>(wait, kLongestScaleRetry);
}

bool areAllScheduled(const View& view) {
  const auto& slots = view.expected();
  return std::all_of(slots.begin(), slots.end(), [&](Slot slot) {
    const api::Pod* pod = view.find(slot);
    return pod != nullptr && pod->is_scheduled;
  });
}

}  // namespace

bool canChangeMembers(const Draft& draft) {
  return draft.observed.record && draft.observed.record->changes_members;
}

bool isElastic(const api::TrainingJob& job) {
  return job.min_replicas && job.max_replicas;
}

bool isAutoscaled(const api::TrainingJob& job) {
  return job.autoscaling && isElastic(job);
}

int targetWorkers(const Draft& draft) {
  const api::TrainingJob& job = draft.job;
  const auto& record = draft.observed.record;
  const auto& autoscaling = draft.next.autoscaling;
  int workers = autoscaling ? autoscaling->workers_wanted : job.worker_replicas;
  if (isElastic(job)) {
    workers = std::min(std::max(workers, *job.min_replicas), *job.max_replicas);
  }
  if (record) workers = std::min(workers, record->logical_workers);
  return std::max(workers, 1);
}

std::optional<WallTime> refusalEnd(const Draft& draft) {
  const auto& refused = draft.next.scale.refused;
  if (!refused || refused->generation != draft.job.meta.generation) return std::nullopt;
  const WallTime end = refused->time + waitAfter(refused->tries);
  // A time in the future was written with a wrong clock: do not wait for it.
  if (refused->time > draft.now || end <= draft.now) return std::nullopt;
  return end;
}

void refuseSize(Draft& draft, const std::string& message) {
  auto& refused = draft.next.scale.refused;
  const int size = draft.before.worker.desired;
  const int before = refused && refused->workers == size ? refused->tries : 0;
  refused = api::RefusedScale{.workers = size,
                              .generation = draft.job.meta.generation,
                              .time = draft.now,
                              .tries = std::min(before, kMostTries - 1) + 1,
                              .message = message};
}

void forgetOtherRefusal(Draft& draft) {
  auto& refused = draft.next.scale.refused;
  const auto& record = draft.observed.record;
  if (!refused || !record || refused->workers == targetWorkers(draft)) return;
  // A job that sizes itself has chosen another one because of that.
  if (!draft.next.autoscaling || !refusalEnd(draft)) refused.reset();
}

int nextWorkers(const Draft& draft) {
  const int target = targetWorkers(draft);
  const api::ScaleStatus& scale = draft.next.scale;
  const bool is_refused = refusalEnd(draft) && scale.refused->workers == target;
  return is_refused ? scale.last_running.value_or(target) : target;
}

void noteScale(Draft& draft) {
  // Where members come one by one, those for which there is room train without the others.
  if (!isElastic(draft.job) || canChangeMembers(draft)) return;
  api::ScaleStatus& scale = draft.next.scale;
  const int before = draft.before.worker.desired;
  if (draft.before.isTrue("Running")) scale.last_running = before;
  if (!scale.last_running) return;  // nothing to go back to: it is the job that starts
  // A failure in between does not prolong the wait, unless there was room for all pods.
  const bool is_other = draft.next.worker.desired != before;
  if (is_other || (scale.since && areAllScheduled(draft.view))) scale.since = draft.now;
}

std::string limitOf(const Draft& draft) {
  const auto& record = draft.observed.record;
  if (!record || isElastic(draft.job) || draft.job.worker_replicas <= record->logical_workers) {
    return "";
  }
  const std::string parts = std::to_string(record->logical_workers);
  return "spec.worker.replicas is " + std::to_string(draft.job.worker_replicas) +
         ", and the job runs with " + parts + ": its mini-batches have " + parts +
         " parts (training.logicalWorkers) since it began, and no worker can be without one";
}

void pinSize(Draft& draft) {
  draft.next.worker.desired = nextWorkers(draft);
  draft.next.server.desired =
      draft.observed.record ? draft.observed.record->servers : draft.before.server.desired;
}

bool correctSize(Draft& draft) {
  const auto& record = draft.observed.record;
  if (!record) return false;
  draft.next.server.desired = record->servers;
  if (draft.before.worker.desired <= record->logical_workers) return false;
  const std::string parts = std::to_string(record->logical_workers);
  const std::string message =
      "an attempt was planned with " + std::to_string(draft.before.worker.desired) +
      " workers, and the job has " + parts + " parts: it has " + parts + " workers";
  if (!draft.view.all().empty()) {
    beginAttempt(draft);
    draft.next.recovery.not_before = draft.before.recovery.not_before;  // a pause goes on
    warnOfLostProgress(draft);
    setCondition(draft, "Restarting", api::ConditionStatus::kTrue, api::reasons::kScaled, message);
    setCondition(draft, "Running", api::ConditionStatus::kFalse, api::reasons::kScaled, message);
  }
  draft.next.worker.desired = record->logical_workers;
  draft.warn(api::reasons::kWorkersLimited, message);
  return true;
}

std::string startingMessage(const Draft& draft) {
  const std::string limit = limitOf(draft);
  return limit.empty() ? "pods are being made" : "pods are being made; " + limit;
}

}  // namespace sumac::trainingjob
