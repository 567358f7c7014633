#include "operator/trainingjob/policy/status_progress.h"

#include <algorithm>
#include <cstdlib>

#include "job/progress/step_phases.h"
#include "kube/api/reasons.h"

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
  if (from.skipped.has_value() != to.skipped.has_value()) return true;
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
  if (!draft.observed.progress) return;
  const auto& before = draft.before.progress;
  Progress seen = withoutPhases(*draft.observed.progress);
  // An attempt that has written none yet does not know of those that it could resume from.
  if (before && !seen.checkpoint) seen.checkpoint = before->checkpoint;
  if (before && isSame(*before, seen)) return;
  if (seen.skipped && !(before && before->skipped))
    draft.warn(api::reasons::kCheckpointSkipped, skippedText(seen));
  draft.next.progress = seen;
  draft.next.progress->last_update = draft.now;
}

std::string skippedText(const Progress& progress) {
  if (!progress.skipped) return {};
  return "the checkpoint of step " + std::to_string(*progress.skipped) +
         " was skipped, as its folder has no room or may not be written (worker 0's log says "
         "why);" +
         (progress.checkpoint
              ? " the newest known is of step " + std::to_string(*progress.checkpoint)
              : std::string(" no newer one is known"));
}

void finishProgress(Draft& draft, const JobResult& result) {
  keepProgress(draft);
  Progress progress = draft.next.progress.value_or(Progress());
  progress.skipped.reset();  // the result says more
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
