#include "operator/trainingjob/policy/scale.h"

#include <optional>
#include <string>
#include <string_view>

#include "common/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/job_size.h"

namespace sumac::trainingjob {
namespace {

/// Begins the part of a message that showWaitingScale() adds.
constexpr std::string_view kWaits = "; another number of workers waits: ";

/// The number of workers that the job should have, if it is not the one that it has.
std::optional<int> wantedWorkers(const Draft& draft) {
  if (!isElastic(draft.job) || !draft.observed.record) return std::nullopt;
  const int wanted = targetWorkers(draft.job, draft.observed.record);
  return wanted == draft.before.worker.desired ? std::nullopt : std::optional(wanted);
}

std::chrono::seconds coolDownOf(const api::TrainingJob& job) {
  const auto& seconds = job.run_policy.scale_cool_down_seconds;
  return seconds ? std::chrono::seconds(*seconds) : std::chrono::seconds(kScaleCoolDown);
}

/// "5 min", "90 s".
std::string textOf(std::chrono::seconds time) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(time);
  if (minutes == time) return std::to_string(minutes.count()) + " min";
  return std::to_string(time.count()) + " s";
}

/// When the job may be restarted for another number of workers; empty: now.
std::optional<WallTime> coolDownEnd(const Draft& draft) {
  const auto& last = draft.before.last_scale_time;
  const auto cool_down = coolDownOf(draft.job);
  // A time in the future was written with a wrong clock: do not wait for it.
  if (!last || *last > draft.now || *last + cool_down <= draft.now) return std::nullopt;
  return *last + cool_down;
}

bool isWaiting(const api::Condition& running) {
  return running.message.find(kWaits) != std::string::npos;
}

}  // namespace

bool scale(Draft& draft) {
  const auto wanted = wantedWorkers(draft);
  if (!wanted || coolDownEnd(draft)) return false;
  const std::string message =
      "from " + std::to_string(draft.before.worker.desired) + " to " + std::to_string(*wanted) +
      " workers: all pods are created again and " +
      (losesProgress(draft) ? "start at step 0" : "resume from the newest checkpoint");
  beginAttempt(draft);
  draft.next.recovery.not_before = draft.before.recovery.not_before;  // a pause goes on
  draft.next.last_scale_time = draft.now;
  setCondition(draft, "Restarting", api::ConditionStatus::kTrue, api::reasons::kScaled, message);
  setCondition(draft, "Running", api::ConditionStatus::kFalse, api::reasons::kScaled, message);
  draft.note(api::reasons::kScaled, message);
  warnOfLostProgress(draft);
  return true;
}

void showWaitingScale(Draft& draft) {
  const api::Condition running = *draft.next.find("Running");
  std::string message = running.message.substr(0, running.message.find(kWaits));
  const auto wanted = wantedWorkers(draft);
  const auto end = coolDownEnd(draft);
  if (wanted && end) {
    const std::string wait = std::to_string(*wanted) + " from " + toRfc3339(*end) +
                             " on, as the job is restarted for that at most every " +
                             textOf(coolDownOf(draft.job));
    message += std::string(kWaits) + wait;
    draft.againAt(*end);
    if (!isWaiting(*draft.before.find("Running"))) {
      draft.note(api::reasons::kScaleDelayed, "another number of workers waits: " + wait);
    }
  }
  if (message == running.message) return;
  setCondition(draft, "Running", running.status, running.reason, message);
}

}  // namespace sumac::trainingjob
