#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// How long a number of workers for which the cluster had no room is not tried again, unless the
/// spec changes: each try costs the steps since the newest checkpoint and the wait for room. Each
/// try of the same number that fails doubles the wait, up to the longest.
inline constexpr std::chrono::minutes kScaleRetry{10};
inline constexpr std::chrono::hours kLongestScaleRetry{4};

/// Whether the job's number of workers may change while it is not suspended.
bool isElastic(const api::TrainingJob& job);

/// Whether members may come and go within an attempt.
bool canChangeMembers(const Draft& draft);

/// Whether the job chooses its number of workers itself.
bool isAutoscaled(const api::TrainingJob& job);

/// The number of workers that the job is to have: spec.worker.replicas, or what it chose
/// (status.autoscaling), limited to min..max and V.
int targetWorkers(const Draft& draft);

/// The number of workers of an attempt that begins now: targetWorkers(), unless the cluster lately
/// had no room for that number (status.scale.refused).
int nextWorkers(const Draft& draft);

/// Until when the number of workers of `next.scale.refused` is not tried again; empty: it may be,
/// or none was refused. Another generation of the spec ends the wait.
std::optional<WallTime> refusalEnd(const Draft& draft);

/// Notes that the cluster has no room for the job's number of workers now, and forgets the number
/// that it had no room for before, unless that is the same.
void refuseSize(Draft& draft, const std::string& message);

/// Forgets the number of workers that the cluster had no room for if the spec asks for another one.
void forgetOtherRefusal(Draft& draft);

/// Notes in status.scale what an attempt that begins means for it. Requires the size of that
/// attempt in the next status.
void noteScale(Draft& draft);

/// Says that V limits the job to fewer workers than its spec asks for; empty: it does not. A job of
/// fixed size without training.logicalWorkers has as many parts as it had workers at its start.
std::string limitOf(const Draft& draft);

/// Sets the size of the attempt that begins: status.replicaStatuses.*.desired.
void pinSize(Draft& draft);

/// Corrects the size of an attempt that was decided before the job's record was known. Returns
/// whether the status must be written before pods are created.
bool correctSize(Draft& draft);

/// Message of condition Running while pods start normally.
std::string startingMessage(const Draft& draft);

}  // namespace sumac::trainingjob
