#include "operator/trainingjob/policy/scale.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/core/units.h"
#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/autoscaling.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/job_size.h"
#include "operator/trainingjob/policy/pending.h"
#include "operator/trainingjob/policy/recovery.h"
#include "operator/trainingjob/policy/replacement.h"
#include "operator/trainingjob/state/names.h"
#include "planner/report/autoscaling_words.h"

namespace sumac::trainingjob {
namespace {

// The parts of a message that showScale() adds begin with these.
constexpr std::string_view kFits = "; if there is no room by ";
constexpr std::string_view kWaits = "; another number of workers waits: ";

/// The number of workers that the job should have, if it is not the one that it has.
std::optional<int> wantedWorkers(const Draft& draft) {
  if (!isElastic(draft.job) || !draft.observed.record) return std::nullopt;
  const int wanted = nextWorkers(draft);
  return wanted == draft.before.worker.desired ? std::nullopt : std::optional(wanted);
}

std::chrono::seconds secondsOr(const std::optional<std::int64_t>& seconds,
                               std::chrono::seconds otherwise) {
  return seconds ? std::chrono::seconds(*seconds) : otherwise;
}

std::chrono::seconds coolDownOf(const Draft& draft) {
  return secondsOr(draft.job.run_policy.scale_cool_down_seconds,
                   canChangeMembers(draft) ? kScaleCoolDownInPlace : kScaleCoolDown);
}

/// "; SavesTime: saves 40 s until the end"
std::string because(const Draft& draft) {
  const std::string choice = choiceOf(draft);
  return choice.empty() ? "" : "; " + choice;
}

std::chrono::seconds fitTimeOf(const api::TrainingJob& job) {
  return secondsOr(job.run_policy.scale_fit_seconds, kScaleFit);
}

/// The last number of workers that ran, while the job waits for its pods with another one.
std::optional<int> lastSize(const Draft& draft) {
  const api::ScaleStatus& scale = draft.before.scale;
  const bool is_other = scale.since && scale.last_running != draft.before.worker.desired;
  return is_other ? scale.last_running : std::nullopt;
}

/// Whether the change needs no cool-down: nothing is trained while the job waits for its pods, and
/// fewer of them, or as many as ran before, are there sooner. Each such change leads towards the
/// last size that ran, so an autoscaler that flaps cannot restart the job for ever.
bool isFree(const Draft& draft, int wanted) {
  const auto last = lastSize(draft);
  const int size = draft.before.worker.desired;
  return last && (wanted == *last || (size > *last && wanted < size));
}

/// When the job may be restarted for that number of workers; empty: now.
std::optional<WallTime> coolDownEnd(const Draft& draft, int wanted) {
  const auto& last = draft.before.last_scale_time;
  if (draft.next.autoscaling) return std::nullopt;  // decide() sees to it
  const auto cool_down = coolDownOf(draft);
  // A time in the future was written with a wrong clock: do not wait for it.
  if (!last || *last > draft.now || *last + cool_down <= draft.now) return std::nullopt;
  return isFree(draft, wanted) ? std::nullopt : std::optional(*last + cool_down);
}

/// Until when a larger number of workers may wait for room; empty: there is none that waits.
std::optional<WallTime> fitEnd(const Draft& draft) {
  const auto last = lastSize(draft);
  if (!last || draft.before.worker.desired < *last) return std::nullopt;
  // A time in the future was written with a wrong clock: do not wait for it.
  const WallTime since = *draft.before.scale.since;
  return std::max(since > draft.now ? WallTime::min() : since, pauseEndOf(draft)) +
         fitTimeOf(draft.job);
}

/// When the refused number of workers of the next status is tried again; empty: now, or there is
/// none.
std::optional<WallTime> retryTime(const Draft& draft) {
  const auto end = refusalEnd(draft);
  const auto& last = draft.next.last_scale_time;
  return end && last ? std::max(*end, *last + coolDownOf(draft)) : end;
}

/// What becomes of the progress.
std::string resumption(const Draft& draft) {
  return std::string("all pods are created again and ") +
         (losesProgress(draft) ? "start at step 0" : "resume from the newest checkpoint");
}

void restartWith(Draft& draft, int workers, const char* reason, const std::string& message) {
  beginAttempt(draft);
  draft.next.worker.desired = workers;
  draft.next.recovery.not_before = draft.before.recovery.not_before;  // a pause goes on
  draft.next.last_scale_time = draft.now;
  setCondition(draft, "Restarting", api::ConditionStatus::kTrue, reason, message);
  setCondition(draft, "Running", api::ConditionStatus::kFalse, reason, message);
  warnOfLostProgress(draft);
}

/// A job that sizes itself has chosen the size that ran, until it decides anew.
void keepSizeThatRan(Draft& draft, int workers) {
  auto& chosen = draft.next.autoscaling;
  if (!chosen) return;
  chosen->workers_wanted = workers;
  chosen->last_change = draft.now;
  chosen->reason = planner::reasonName(autoscaling::Reason::kRoom);
  chosen->message = "there is no room for " + std::to_string(draft.before.worker.desired);
}

/// Goes back from a number of workers that the cluster has no room for.
void goBack(Draft& draft, const Obstacle& obstacle) {
  const int last = *lastSize(draft);
  const std::string size = std::to_string(draft.before.worker.desired);
  refuseSize(draft, obstacle.message);
  draft.next.last_scale_time = draft.now;
  const std::string message =
      "from " + size + " back to " + std::to_string(last) +
      " workers, because there is no room for " + size + " (runPolicy.scaleFitSeconds is " +
      std::to_string(fitTimeOf(draft.job).count()) + "): " + obstacle.message + "; " + size +
      " are tried again from " + toRfc3339(*retryTime(draft)) + " on, or when the spec changes; " +
      resumption(draft);
  keepSizeThatRan(draft, last);
  restartWith(draft, last, api::reasons::kScaleDoesNotFit, message);
  draft.warn(api::reasons::kScaleDoesNotFit, message);
}

bool goBackWhenDue(Draft& draft) {
  const auto end = fitEnd(draft);
  const auto obstacle = end && draft.now >= *end ? findLackOfRoom(draft) : std::nullopt;
  if (obstacle) goBack(draft, *obstacle);
  return obstacle.has_value();
}

/// The members that train go on. The pods that go are done with: they do not come back as members
/// where the number rises again before they are gone. Members that the job refused may try again.
void resize(Draft& draft, int workers) {
  for (const auto& [slot, pod] : draft.view.current()) {
    if (slot.role == Role::kWorker && slot.index >= workers) markHandled(draft, pod->meta.uid);
  }
  awaitMembers(draft, workers);
  draft.next.worker.desired = workers;
  draft.next.resizes = following(draft.before.resizes);
  draft.next.last_scale_time = draft.now;
  draft.note(api::reasons::kScaled, "from " + std::to_string(draft.before.worker.desired) + " to " +
                                        std::to_string(workers) + " workers, in place" +
                                        because(draft));
}

bool isWaiting(const api::Condition& running) {
  return running.message.find(kWaits) != std::string::npos;
}

/// Until when the job waits for room.
std::string fitText(Draft& draft) {
  const auto end = fitEnd(draft);
  if (!end) return "";
  if (*end > draft.now) draft.againAt(*end);
  if (*end <= draft.now || !findLackOfRoom(draft)) return "";
  return std::string(kFits) + toRfc3339(*end) + ", the job goes back to " +
         std::to_string(*lastSize(draft)) + " workers";
}

/// Which number of workers was refused, and until when.
std::string refusalText(Draft& draft) {
  const auto retry = retryTime(draft);
  const int target = targetWorkers(draft);
  if (!retry || draft.next.scale.refused->workers != target) return "";
  draft.againAt(*retry);
  return std::string(kWaits) + std::to_string(target) + " from " + toRfc3339(*retry) +
         " on, or when the spec changes, as there was no room: " +
         draft.next.scale.refused->message;
}

/// Which number of workers waits for the end of the cool-down.
std::string coolDownText(Draft& draft) {
  const auto wanted = wantedWorkers(draft);
  const auto end = wanted ? coolDownEnd(draft, *wanted) : std::nullopt;
  if (!end) return "";
  draft.againAt(*end);
  const std::string wait =
      std::to_string(*wanted) + " from " + toRfc3339(*end) + " on, as " +
      (draft.view.changesMembers() ? "that changes" : "the job is restarted for that") +
      " at most every " + durationText(coolDownOf(draft));
  if (!isWaiting(*draft.before.find("Running"))) {
    draft.note(api::reasons::kScaleDelayed, "another number of workers waits: " + wait);
  }
  return std::string(kWaits) + wait;
}

/// When to say that a worker that stays has not become ready for too long: at once where the job
/// refused it. One whose pods fail is told with each of them.
WallTime overdueTime(const Draft& draft, Slot slot) {
  const auto& refused = draft.view.refused();
  if (std::ranges::find(refused, slot) != refused.end()) return draft.now;
  const api::Pod* const pod = draft.view.find(slot);
  const WallTime since = pod == nullptr ? draft.now : pod->meta.created.value_or(draft.now);
  return std::min(since, draft.now) + kStayPatience;
}

/// What a user can do where the worker that stays does not become ready.
std::string remedyText(const Draft& draft, Slot slot, int wanted) {
  const std::string& job = draft.job.meta.key.name;
  const bool has_pod = draft.view.find(slot) != nullptr;
  std::string text = "; " + memberName(slot) +
                     (has_pod ? " has not been ready for long: `kubectl describe pod " +
                                    podName(job, slot) + "` says why"
                              : " has no pod: `sumac describe " + job + "` says why");
  if (draft.next.autoscaling) return text;
  return text + "; to have " + counted(wanted, "worker") +
         " all the same, suspend the job and resume it: " + resumption(draft);
}

/// The number of workers that waits, and for what; empty: none does. The others train on, so it may
/// wait as long as it takes, and nothing is lost; whoever asked for it is told once it takes long.
std::string trainersText(Draft& draft) {
  const auto wanted = draft.held_workers ? draft.held_workers : wantedWorkers(draft);
  if (!wanted || !draft.view.wouldLoseAllTrainers(*wanted)) return "";
  std::string wait = std::to_string(*wanted) +
                     ", until one of those that stay trains: " + "now only those do that would go";
  const Slot first{Role::kWorker, 0};
  const WallTime overdue = overdueTime(draft, first);
  if (overdue > draft.now) {
    draft.againAt(overdue);
    return std::string(kWaits) + wait;
  }
  wait += remedyText(draft, first, *wanted);
  if (draft.before.find("Running")->message.find(wait) == std::string::npos)
    draft.warn(api::reasons::kScaleDelayed, "another number of workers waits: " + wait);
  return std::string(kWaits) + wait;
}

}  // namespace

bool scale(Draft& draft) {
  forgetOtherRefusal(draft);
  const auto wanted = wantedWorkers(draft);
  if (!wanted || coolDownEnd(draft, *wanted) || draft.view.wouldLoseAllTrainers(*wanted))
    return goBackWhenDue(draft);
  if (draft.view.changesMembers()) {
    resize(draft, *wanted);
    return true;
  }
  const std::string message = "from " + std::to_string(draft.before.worker.desired) + " to " +
                              std::to_string(*wanted) + " workers: " + resumption(draft) +
                              because(draft);
  restartWith(draft, *wanted, api::reasons::kScaled, message);
  draft.note(api::reasons::kScaled, message);
  return true;
}

bool goBackAfter(Draft& draft, const Failure& failure) {
  if (failure.kind != FailureKind::kUnjoined || !fitEnd(draft)) return false;
  const auto obstacle = findLackOfRoom(draft);
  if (obstacle) goBack(draft, *obstacle);
  return obstacle.has_value();
}

void showScale(Draft& draft) {
  const api::Condition running = *draft.next.find("Running");
  const std::size_t end = std::min(running.message.find(kFits), running.message.find(kWaits));
  std::string message = running.message.substr(0, end);
  message += fitText(draft);
  message += refusalText(draft);
  const std::string cool_down = coolDownText(draft);
  message += cool_down.empty() ? trainersText(draft) : cool_down;
  if (message == running.message) return;
  setCondition(draft, "Running", running.status, running.reason, message);
}

}  // namespace sumac::trainingjob
