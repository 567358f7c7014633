#include "operator/trainingjob/policy/deadlines.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/recovery.h"

namespace sumac::trainingjob {
namespace {

// In seconds, about 30 years: the sum with any time of this century does not overflow.
constexpr std::int64_t kLongestDeadline = 1'000'000'000;

/// Whether the deadline has passed; if not, requests a pass for then.
bool hasPassed(Draft& draft, WallTime since, std::int64_t seconds) {
  const WallTime due =
      since + std::chrono::seconds(std::clamp<std::int64_t>(seconds, 0, kLongestDeadline));
  if (draft.now >= due) return true;
  draft.againAt(due);
  return false;
}

}  // namespace

bool enforceDeadlines(Draft& draft) {
  const api::RunPolicy& policy = draft.job.run_policy;
  if (!draft.before.start_time) return false;
  const WallTime start = *draft.before.start_time;
  if (policy.active_deadline_seconds && hasPassed(draft, start, *policy.active_deadline_seconds)) {
    fail(draft, api::reasons::kDeadlineExceeded,
         "the job was active for longer than runPolicy.activeDeadlineSeconds (" +
             std::to_string(*policy.active_deadline_seconds) + ")");
    return true;
  }
  const api::Condition* running = draft.before.find("Running");
  if (!policy.pre_running_deadline_seconds || running == nullptr ||
      running->status == api::ConditionStatus::kTrue) {
    return false;
  }
  if (draft.before.scale.since) return false;  // a change of size never fails a job
  const WallTime since = std::max({start, running->last_transition, pauseEndOf(draft)});
  if (!hasPassed(draft, since, *policy.pre_running_deadline_seconds)) return false;
  fail(draft, api::reasons::kPreRunningDeadlineExceeded,
       "not all pods ran within runPolicy.preRunningDeadlineSeconds (" +
           std::to_string(*policy.pre_running_deadline_seconds) + "); " + running->message);
  return true;
}

}  // namespace sumac::trainingjob
