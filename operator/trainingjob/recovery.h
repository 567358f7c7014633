#pragma once

#include "operator/trainingjob/failure.h"

namespace sumac::trainingjob {

enum class RecoveryKind {
  kFail,     // the job fails: for good, or once too often
  kReplace,  // this pod is made again, the others go on
  kRestart,  // all pods are made again
};

/// What a failure leads to; `failures` in a row are known already, this one not among them.
RecoveryKind recoveryFor(const Failure& failure, const Absorbs& absorbs, int failures, int limit);

/// Writes the failure down: one status that has the new attempt, the counters, the pods that were
/// dealt with and the failure. The deeds follow from it in the next pass.
void recover(Draft& draft, const Failure& failure);

/// Before the pods of an attempt are made: a pause that grows with failures in a row.
Duration restartPause(int failures);

}  // namespace sumac::trainingjob
