#pragma once

#include <chrono>
#include <optional>

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// How long a pod may wait for a node before there is no room for it: what a cluster autoscaler
/// needs for a new one.
inline constexpr std::chrono::minutes kRoomPatience{5};
/// When more workers are tried again after that: twice as long after each further try in vain.
inline constexpr std::chrono::minutes kRoomRetry{5};
inline constexpr std::chrono::hours kLongestRoomRetry{1};
/// How long a quota may refuse a pod before there is no room for it: the pod in whose place it
/// comes is counted for a moment after it is gone. More are tried when the quota has room; where it
/// cannot be read, after kRoomRetry each time.
inline constexpr std::chrono::seconds kQuotaPatience{5};

/// Workers, or servers, that have a node and have not ended.
int placedPods(const Draft& draft, Role role);

/// For how many workers of a job that sizes itself the cluster has room, and until when more are
/// not tried, in the next status' status.autoscaling.room; nothing: as many as wanted.
std::optional<api::AutoscalingRoom> followRoom(Draft& draft);

}  // namespace sumac::trainingjob
