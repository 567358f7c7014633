#pragma once

#include <string>
#include <string_view>

#include "operator/trainingjob/policy/failure.h"

namespace sumac::trainingjob {

/// Whether a failure makes the operator create all pods again; else the job fails, because a
/// restart does not help or the back-off limit is reached. `failures`: number in a row before this
/// one.
bool isRetried(const Failure& failure, int failures, int limit);

/// "pod lenet5-worker-1 was killed by signal 9 (SIGKILL)", with room for what follows it: an event
/// has 1,024 bytes. status.lastFailure has the whole.
std::string shortSentenceOf(const Failure& failure);

// The parts of recover()

/// Keeps the failure in status.lastFailure.
void keepFailure(Draft& draft, const Failure& failure);
/// Remembers that the failure of this pod is handled.
void markHandled(Draft& draft, const std::string& pod_uid);
/// Fails the job because of `failure`. Requires that it is counted.
void failFor(Draft& draft, const Failure& failure);

/// Records the failure in one status: the failure, the counters, the pods that are handled by it
/// and the new attempt. Once that status is written, a decision acts on it (write-ahead).
void recover(Draft& draft, const Failure& failure);

/// How long to wait before creating the pods of a new attempt, from the failure on. `in_a_row`: the
/// failures, or the disruptions, in a row without progress, this one included. `reason`: that of
/// the failure. Storage needs time: with the default backoffLimit of 3 a job survives a minute
/// without it.
Duration restartPause(int in_a_row, std::string_view reason = {});

/// When the operator's own pause before the attempt of the current status ends: no wait for pods.
/// The earliest time if there is none.
WallTime pauseEndOf(const Draft& draft);

/// Pauses are not longer than this.
inline constexpr std::chrono::seconds kLongestPause{320};

/// An attempt that a disruption begins starts at least this long after the failure or disruption
/// before it, whatever the progress: at most 120 an hour, so that a job on nodes that come and go
/// does not flood the API server and the registry.
inline constexpr std::chrono::seconds kBetweenDisruptions{30};

}  // namespace sumac::trainingjob
