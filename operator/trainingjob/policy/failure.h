#pragma once

#include <optional>
#include <string>

#include "operator/trainingjob/policy/draft.h"

namespace sumac::trainingjob {

/// Kinds of pod failures, the most specific first (docs/exit-codes.md).
enum class FailureKind {
  kForGood,      // exit codes 1, 2, 78: a restart does not help
  kOwn,          // 74, 134, signals, out of memory, unlisted codes: retried and counted
  kDisruption,   // preempted, evicted, node lost, deleted by others: retried, not counted
  kMissing,      // no longer exists while the attempt runs: its deletion was not observed
  kConsequence,  // 75, 143, 0 without a result: caused by another failure, if there is one
  kUnjoined,  // 75 while a pod of the attempt has never started, such as for lack of room; 75, 143
              // soon after a failure that was handled: explained, and not counted
};

struct Failure {
  FailureKind kind = FailureKind::kOwn;
  Slot slot;
  std::string pod_name;
  std::string pod_uid;
  std::string reason;
  std::optional<int> exit_code;
  std::string message;
  std::optional<WallTime> time;  // when it happened; empty: unknown

  bool isCounted() const {
    return kind != FailureKind::kDisruption && kind != FailureKind::kMissing &&
           kind != FailureKind::kUnjoined;
  }
};

/// How a pod failed; empty if it runs, waits, or ended with a result.
std::optional<Failure> failureOf(const api::Pod& pod);

/// `word` if it is valid as the reason of a condition, else `other`.
std::string reasonOr(const std::string& word, const char* other);

}  // namespace sumac::trainingjob
