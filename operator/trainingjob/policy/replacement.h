#pragma once

#include <chrono>

#include "operator/trainingjob/policy/failure.h"

namespace sumac::trainingjob {

/// How often in a row a pod may be told that it does not fit the job (exit code 78) before its slot
/// stays empty.
inline constexpr int kMostRefusals = 3;

/// How long to wait before the pod of a member is created again, from its failure on. `in_a_row`:
/// its pods that failed before they were ready, or all failures without progress, this one
/// included. It stays far below the time that the others wait for slot 0.
Duration replacementPause(int in_a_row);

/// Records the pods that failed while the others train on, each once: its uid, the counters and
/// when its next pod is created, in one status. Once that is written, old pods are deleted and new
/// ones are created as usual (write-ahead). Fails the job where that does not help: after exit
/// codes 1 and 2, where slot 0 does not fit the job, or when the back-off limit is reached.
/// Requires that members may be replaced. Returns whether this pass must decide nothing else.
bool replaceFailed(Draft& draft);

/// Another number of workers: waits for the members that it adds as for those that are replaced,
/// and no longer for members that it removes or that the job refused.
void awaitMembers(Draft& draft, int workers);

/// Forgets the replacements that became ready.
void forgetReplaced(Draft& draft);

/// Whether the member is awaited: it is new, or its pod failed, and the next one was not ready yet.
bool isBeingReplaced(const Draft& draft, Slot slot);

/// When the pod of this slot may be created; the earliest time: now.
WallTime replacementTime(const Draft& draft, Slot slot);

}  // namespace sumac::trainingjob
