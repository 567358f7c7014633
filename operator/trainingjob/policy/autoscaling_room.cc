#include "operator/trainingjob/policy/autoscaling_room.h"

#include <algorithm>

#include "kube/api/reasons.h"
#include "operator/trainingjob/policy/job_size.h"
#include "operator/trainingjob/policy/pending.h"

namespace sumac::trainingjob {
namespace {

using api::AutoscalingRoom;

// Later tries wait no longer.
constexpr int kMostDoublings = 4;

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

bool isRefusedByQuota(const Draft& draft) {
  const auto lack = findLackOfRoom(draft);
  return lack && lack->reason == api::reasons::kQuotaExceeded;
}

/// How long no more workers are tried; nothing: there is room, or it is too early to tell.
std::optional<std::chrono::minutes> retryOf(Draft& draft, int tries) {
  if (isRefusedByQuota(draft)) return kRoomRetry;
  const auto since = waitingSince(draft);
  if (!since) return std::nullopt;
  if (*since + kRoomPatience > draft.now) {
    draft.againAt(*since + kRoomPatience);
    return std::nullopt;
  }
  const auto wait = kRoomRetry * (1 << std::clamp(tries - 1, 0, kMostDoublings));
  return std::min<std::chrono::minutes>(wait, kLongestRoomRetry);
}

/// Whether more workers are not tried yet. A time too far ahead was written with a wrong clock.
bool holds(const AutoscalingRoom& room, WallTime now) {
  return room.until > now && room.until <= now + kLongestRoomRetry;
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
  const auto& pods = draft.view.current();
  return static_cast<int>(std::ranges::count_if(pods, [role](const auto& entry) {
    return entry.first.role == role && entry.second->is_scheduled && !hasEnded(*entry.second);
  }));
}

std::optional<AutoscalingRoom> followRoom(Draft& draft) {
  auto& room = draft.next.autoscaling->room;
  if (!canChangeMembers(draft)) {
    room = roomOfRestarts(draft);
    return room;
  }
  const int placed = placedPods(draft, Role::kWorker);
  if (room && placed > room->workers) room.reset();
  const int tries = room ? std::clamp(room->tries, 1, kMostDoublings) + 1 : 1;
  const bool is_held = room && holds(*room, draft.now);
  if (!is_held || placed < room->workers) {
    if (const auto retry = retryOf(draft, tries))
      room = AutoscalingRoom{.workers = placed, .until = draft.now + *retry, .tries = tries};
  }
  if (!room || !holds(*room, draft.now)) return std::nullopt;
  draft.againAt(room->until);
  return room;
}

}  // namespace sumac::trainingjob
