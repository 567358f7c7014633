#pragma once

#include "operator/trainingjob/policy/failure.h"

namespace sumac::trainingjob {

enum class RecoveryKind {
  kFail,     // the job fails: a restart does not help, or the back-off limit is reached
  kReplace,  // only this pod is created again; the others continue
  kRestart,  // all pods are created again
};

/// The reaction to a failure. `failures`: number in a row before this one.
RecoveryKind recoveryFor(const Failure& failure, const Replaceable& replaceable, int failures,
                         int limit);

/// Records the failure in one status: the failure, the counters, the pods that are handled by it
/// and the new attempt. The next pass acts on that status (write-ahead).
void recover(Draft& draft, const Failure& failure);

/// How long to wait before creating the pods of a new attempt; grows with the number of failures in
/// a row.
Duration restartPause(int failures);

}  // namespace sumac::trainingjob
