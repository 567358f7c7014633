#include "operator/trainingjob/policy/status_progress.h"

#include <algorithm>
#include <cstdlib>

namespace sumac::trainingjob {
namespace {

constexpr std::chrono::seconds kLeastInterval{10};
constexpr double kShareOfRequests = 0.2;
constexpr double kLongestInterval = 3600;  // seconds

bool isSame(Progress a, const Progress& b) {
  a.last_update = b.last_update;
  return a == b;
}

bool hasMoved(const Progress& from, const Progress& to) {
  const std::int64_t distance = std::abs(to.step - from.step);
  // 1 % of all steps, rounded up without overflow; any step if the total is unknown.
  const std::int64_t percent = to.total_steps / 100 + (to.total_steps % 100 == 0 ? 0 : 1);
  return distance >= std::max<std::int64_t>(percent, 1);
}

/// When progress was last written to the status; if never, when the job began to run.
WallTime lastWritten(const Draft& draft) {
  if (draft.before.progress && draft.before.progress->last_update) {
    return *draft.before.progress->last_update;
  }
  const api::Condition* running = draft.before.find("Running");
  return running != nullptr ? running->last_transition : draft.now;
}

}  // namespace

Duration progressInterval(int running_jobs, double rate) {
  double seconds = kLongestInterval;
  if (rate > 0) seconds = std::min(running_jobs / (kShareOfRequests * rate), kLongestInterval);
  const auto interval =
      std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  return std::max<Duration>(interval, kLeastInterval);
}

bool isProgressDue(Draft& draft) {
  const auto& seen = draft.observed.progress;
  if (!seen || !draft.before.isTrue("Running")) return false;
  if (!hasMoved(draft.before.progress.value_or(Progress()), *seen)) return false;
  const Duration interval =
      progressInterval(draft.observed.running_jobs, draft.observed.status_rate);
  const auto since = draft.now - lastWritten(draft);
  // Do not wait for a time in the future: a clock may have been set, or the status edited.
  if (since < since.zero() || since >= std::chrono::floor<WallTime::duration>(interval))
    return true;
  draft.againAfter(interval - since);
  return false;
}

void keepProgress(Draft& draft) {
  const auto& seen = draft.observed.progress;
  if (!seen || (draft.before.progress && isSame(*draft.before.progress, *seen))) return;
  draft.next.progress = *seen;
  draft.next.progress->last_update = draft.now;
}

void finishProgress(Draft& draft, const JobResult& result) {
  keepProgress(draft);
  Progress progress = draft.next.progress.value_or(Progress());
  progress.step = result.steps;
  progress.total_steps = result.steps;
  if (result.loss) progress.loss = result.loss;
  if (result.samples_per_second) progress.samples_per_second = result.samples_per_second;
  if (result.batches_per_second) progress.batches_per_second = result.batches_per_second;
  progress.epoch = std::max(progress.epoch, result.epochs);
  progress.last_update = draft.now;
  draft.next.progress = progress;
}

}  // namespace sumac::trainingjob
