#include "operator/trainingjob/policy/cleanup.h"

#include <algorithm>
#include <chrono>

#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/conditions.h"
#include "operator/trainingjob/policy/deletion.h"

namespace sumac::trainingjob {
namespace {

constexpr std::int64_t kLongestTtl = 1'000'000'000;  // seconds, about 30 years

/// Whether the members of a finished job end by themselves; not after a deadline.
bool doMembersEnd(const api::JobStatus& status) {
  return !hasReason(status, "Failed", api::reasons::kDeadlineExceeded) &&
         !hasReason(status, "Failed", api::reasons::kPreRunningDeadlineExceeded);
}

bool hasSettled(Draft& draft, WallTime end) {
  const WallTime settled = end + kSettling;
  if (draft.now >= settled || !doMembersEnd(draft.before)) return true;
  draft.againAt(settled);
  return false;
}

void cleanPods(Draft& draft, WallTime end) {
  const api::CleanPodPolicy policy = draft.job.run_policy.clean_pods;
  if (policy == api::CleanPodPolicy::kNone) return;
  std::vector<const api::Pod*> pods;
  for (const api::Pod* pod : draft.view.all()) {
    const bool is_over =
        pod->phase == api::PodPhase::kSucceeded || pod->phase == api::PodPhase::kFailed;
    if (policy == api::CleanPodPolicy::kAll || !is_over) pods.push_back(pod);
  }
  if (!pods.empty() && hasSettled(draft, end)) deletePods(draft, pods);
}

}  // namespace

void cleanUp(Draft& draft) {
  const WallTime end = draft.before.completion_time.value_or(draft.now);
  cleanPods(draft, end);
  const auto& ttl = draft.job.run_policy.ttl_seconds_after_finished;
  if (!ttl) return;
  const WallTime due = end + std::chrono::seconds(std::clamp<std::int64_t>(*ttl, 0, kLongestTtl));
  if (draft.now >= due) {
    draft.actions.emplace_back(DeleteJob{});
  } else {
    draft.againAt(due);
  }
}

}  // namespace sumac::trainingjob
