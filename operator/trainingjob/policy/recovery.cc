#include "operator/trainingjob/policy/recovery.h"

#include <algorithm>
#include <chrono>

#include "base/core/text.h"
#include "base/core/units.h"
#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/attempts.h"
#include "operator/trainingjob/policy/conditions.h"

namespace sumac::trainingjob {
namespace {

constexpr int kMaxDoublings = 6;
constexpr std::chrono::seconds kFirstPause{5};

std::string sentenceOf(const Failure& failure) {
  return "pod " + failure.pod_name + " " + failure.message;
}

void count(Draft& draft, const Failure& failure) {
  if (failure.isCounted()) {
    draft.next.recovery.failures = following(failuresInARow(draft));
  } else if (failure.kind != FailureKind::kUnjoined) {
    draft.next.disruptions = following(draft.before.disruptions);
    draft.next.recovery.disruptions = following(disruptionsInARow(draft));
  }
}

/// Failures or disruptions in a row, as the pause counts them.
int inARow(const Draft& draft, const Failure& failure) {
  if (failure.kind == FailureKind::kUnjoined) return 0;  // the members have waited already
  const api::Recovery& recovery = draft.next.recovery;
  return failure.isCounted() ? recovery.failures : recovery.disruptions;
}

/// When the pods of the next attempt may be created; empty: at once.
std::optional<WallTime> pauseEnd(const Draft& draft, const Failure& failure) {
  const Duration pause = restartPause(inARow(draft, failure), failure.reason);
  WallTime end = std::chrono::floor<std::chrono::seconds>(draft.next.last_failure->time + pause);
  if (!failure.isCounted() && draft.before.last_failure) {
    end = std::max(end, std::min(draft.before.last_failure->time, draft.now) + kBetweenDisruptions);
  }
  return end > draft.now ? std::optional(end) : std::nullopt;
}

std::string pauseText(const Draft& draft, const Failure& failure, WallTime end) {
  const api::Recovery& recovery = draft.next.recovery;
  const std::string count = failure.isCounted() ? counted(recovery.failures, "failure")
                                                : counted(recovery.disruptions, "disruption");
  // It ends later than the row alone asks for.
  const bool is_spaced = !failure.isCounted() &&
                         end > draft.next.last_failure->time + restartPause(inARow(draft, failure));
  return "; pods are created at " + toRfc3339(end) +
         (is_spaced ? ": 30 s after the failure before this one, at the earliest"
                    : ": " + count + " in a row without progress");
}

void restart(Draft& draft, const Failure& failure) {
  const api::Recovery counted = draft.next.recovery;
  beginAttempt(draft);
  if (failure.isCounted()) {
    draft.next.recovery.failures = counted.failures;
    draft.next.restarts = following(draft.before.restarts);
  } else {
    draft.next.recovery.disruptions = counted.disruptions;
  }
  draft.next.recovery.not_before = pauseEnd(draft, failure);
  for (const auto& [slot, pod] : draft.view.current()) {
    if (failureOf(*pod)) markHandled(draft, pod->meta.uid);
  }
  std::string message = shortSentenceOf(failure);
  const auto& pause_end = draft.next.recovery.not_before;
  if (pause_end) message += pauseText(draft, failure, *pause_end);
  setCondition(draft, "Restarting", api::ConditionStatus::kTrue, failure.reason, message);
  setCondition(draft, "Running", api::ConditionStatus::kFalse, api::reasons::kRestarting, message);
  draft.warn(failure.reason, pause_end ? message : message + "; all pods are created again");
  warnOfLostProgress(draft);
}

}  // namespace

std::string shortSentenceOf(const Failure& failure) {
  constexpr std::size_t kMost = 700;
  std::string sentence = sentenceOf(failure);
  if (sentence.size() > kMost) sentence = std::string(wholeCharacters(sentence, kMost)) + " ...";
  return sentence;
}

void keepFailure(Draft& draft, const Failure& failure) {
  draft.next.last_failure = api::LastFailure{
      .pod_name = failure.pod_name,
      .pod_uid = failure.pod_uid,
      .reason = failure.reason,
      .exit_code = failure.exit_code,
      .message = failure.message,
      // The pause before a restart counts from here, and a node's clock may be ahead.
      .time = std::chrono::floor<std::chrono::seconds>(
          std::min(failure.time.value_or(draft.now), draft.now))};
}

void markHandled(Draft& draft, const std::string& pod_uid) {
  auto& handled = draft.next.recovery.handled_pod_uids;
  if (!pod_uid.empty() && std::find(handled.begin(), handled.end(), pod_uid) == handled.end()) {
    handled.push_back(pod_uid);
  }
}

void failFor(Draft& draft, const Failure& failure) {
  std::string message = sentenceOf(failure);
  std::string reason = failure.reason;
  if (failure.kind != FailureKind::kForGood) {
    reason = api::reasons::kBackoffLimitExceeded;
    message = counted(draft.next.recovery.failures, "failure") +
              " in a row without progress (runPolicy.backoffLimit " +
              std::to_string(draft.job.run_policy.backoff_limit) + "); the last: " + message;
  }
  fail(draft, reason, message);
}

bool isRetried(const Failure& failure, int failures, int limit) {
  if (failure.kind == FailureKind::kForGood) return false;
  return !failure.isCounted() || failures < limit;
}

void recover(Draft& draft, const Failure& failure) {
  const bool is_retried =
      isRetried(failure, failuresInARow(draft), draft.job.run_policy.backoff_limit);
  keepFailure(draft, failure);
  count(draft, failure);
  if (!is_retried) return failFor(draft, failure);
  restart(draft, failure);
}

WallTime pauseEndOf(const Draft& draft) {
  const auto& end = draft.before.recovery.not_before;
  // One too far ahead was written with a wrong clock.
  return end && *end <= draft.now + kLongestPause ? *end : WallTime::min();
}

Duration restartPause(int in_a_row, std::string_view reason) {
  if (in_a_row > 0 && reason == api::reasons::kResourceFailed)
    in_a_row = std::min(in_a_row, kMaxDoublings) + 2;  // 10 s at once
  if (in_a_row <= 1) return Duration::zero();
  return std::min<Duration>(kFirstPause * (1 << std::min(in_a_row - 2, kMaxDoublings)),
                            kLongestPause);
}

}  // namespace sumac::trainingjob
