#include "operator/trainingjob/policy/autoscaling_room.h"

#include <algorithm>
#include <utility>

#include "kube/api/quota.h"
#include "operator/trainingjob/policy/job_size.h"
#include "operator/trainingjob/policy/pending.h"

namespace sumac::trainingjob {
namespace {

using api::AutoscalingRoom;

// Later tries wait no longer.
constexpr int kMostDoublings = 4;

/// Members of the role whose pod has not ended and is such a one.
template <typename Condition>
int count(const Draft& draft, Role role, const Condition& condition) {
  const auto& pods = draft.view.current();
  return static_cast<int>(std::ranges::count_if(pods, [&](const auto& entry) {
    return entry.first.role == role && !hasEnded(*entry.second) && condition(*entry.second);
  }));
}

/// Workers that a quota counts.
int madeWorkers(const Draft& draft) {
  return count(draft, Role::kWorker, [](const api::Pod&) { return true; });
}

bool waitsForNode(const api::Pod& pod) {
  return !pod.is_scheduled && !hasEnded(pod) && pod.unscheduled_reason == "Unschedulable";
}

/// Since when a worker's pod has waited for a node; nothing: none does.
std::optional<WallTime> waitingSince(const Draft& draft) {
  std::optional<WallTime> since;
  for (const auto& [slot, pod] : draft.view.current()) {
    if (slot.role != Role::kWorker || !waitsForNode(*pod)) continue;
    const WallTime created = std::min(pod->meta.created.value_or(draft.now), draft.now);
    since = std::min(since.value_or(created), created);
  }
  return since;
}

/// How long no more workers are tried, as one has no node; nothing: there is room, or it is too
/// early to tell.
std::optional<std::chrono::minutes> retryOf(Draft& draft, int tries) {
  const auto since = waitingSince(draft);
  if (!since) return std::nullopt;
  if (*since + kRoomPatience > draft.now) {
    draft.againAt(*since + kRoomPatience);
    return std::nullopt;
  }
  const auto wait = kRoomRetry * (1 << std::clamp(tries - 1, 0, kMostDoublings));
  return std::min<std::chrono::minutes>(wait, kLongestRoomRetry);
}

/// What a quota that refuses a pod leaves; nothing: none does, or it is too early to tell.
std::optional<AutoscalingRoom> roomOfRefusal(Draft& draft) {
  const auto refused = findQuotaLack(draft);
  if (!refused) return std::nullopt;
  const Duration left = kQuotaPatience - draft.observed.refusal->lasts;
  if (left > Duration::zero()) {
    draft.againAfter(left);
    return std::nullopt;
  }
  AutoscalingRoom room{.workers = madeWorkers(draft), .until = draft.now + kRoomRetry};
  const auto lack = api::quotaLackOf(refused->message);
  const auto& quotas = draft.observed.quotas;
  // Of one that is not there, or not yet, nobody could say that it is gone.
  if (lack && quotas && api::findQuota(*quotas, lack->quota) != nullptr) {
    room.quota = lack->quota;
    room.requested = lack->requested;
  }
  return room;
}

/// What a quota that refused more workers leaves now. It takes none away: those that there are it
/// has taken.
void followQuota(const Draft& draft, std::optional<AutoscalingRoom>& room) {
  const auto& quotas = draft.observed.quotas;
  if (!room || room->quota.empty() || !quotas) return;
  const api::ResourceQuota* const quota = api::findQuota(*quotas, room->quota);
  if (quota == nullptr) return room.reset();
  const auto more = api::roomIn(*quota, room->requested);
  if (!more) return;  // somebody edited the status
  room->workers = std::max(draft.before.worker.desired, madeWorkers(draft) + *more);
  room->until = draft.now + kRoomRetry;
  // `more` may be a moment old, and count new pods a second time.
  if (madeWorkers(draft) >= *draft.job.max_replicas) room.reset();
}

/// Whether more workers are not tried yet. A time too far ahead was written with a wrong clock.
bool holds(const AutoscalingRoom& room, WallTime now) {
  return room.until > now && room.until <= now + kLongestRoomRetry;
}

/// For which there are nodes.
void followNodes(Draft& draft, std::optional<AutoscalingRoom>& room) {
  const int placed = placedPods(draft, Role::kWorker);
  if (room && room->quota.empty() && placed > room->workers) room.reset();
  const bool is_held = room && holds(*room, draft.now);
  if (is_held && placed >= room->workers) return;
  const int tries = room ? std::clamp(room->tries, 1, kMostDoublings) + 1 : 1;
  if (const auto retry = retryOf(draft, tries))
    room = AutoscalingRoom{.workers = placed, .until = draft.now + *retry, .tries = tries};
}

/// Where a change is a restart, scale() finds that out, and goes back.
std::optional<AutoscalingRoom> roomOfRestarts(const Draft& draft) {
  const auto end = refusalEnd(draft);
  if (!end) return std::nullopt;
  const api::RefusedScale& refused = *draft.next.scale.refused;
  return AutoscalingRoom{.workers = refused.workers - 1,
                         .until = std::min<WallTime>(*end, draft.now + kLongestRoomRetry),
                         .tries = refused.tries};
}

}  // namespace

int placedPods(const Draft& draft, Role role) {
  return count(draft, role, [](const api::Pod& pod) { return pod.is_scheduled; });
}

std::optional<AutoscalingRoom> followRoom(Draft& draft) {
  auto& room = draft.next.autoscaling->room;
  if (!canChangeMembers(draft)) {
    room = roomOfRestarts(draft);
    return room;
  }
  if (auto refused = roomOfRefusal(draft)) {
    room = std::move(refused);
  } else {
    followQuota(draft, room);
    followNodes(draft, room);
  }
  if (!room || !holds(*room, draft.now)) return std::nullopt;
  draft.againAt(room->until);
  return room;
}

}  // namespace sumac::trainingjob
