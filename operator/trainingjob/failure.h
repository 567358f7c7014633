#pragma once

#include <optional>
#include <string>

#include "operator/trainingjob/draft.h"

namespace sumac::trainingjob {

/// What the end of a pod says, the most telling first (docs/exit-codes.md).
enum class FailureKind {
  kForGood,      // 1, 2, 78: starting again does not help
  kOwn,          // 134, signals, lack of memory, codes not listed: retried and counted
  kDisruption,   // preempted, evicted, node lost, deleted by somebody: retried, never counted
  kMissing,      // gone without a trace while the attempt ran: a deletion that nobody saw
  kConsequence,  // 75, 143, 0 without a result: follows from something else, where there is such
};

struct Failure {
  FailureKind kind = FailureKind::kOwn;
  Slot slot;
  std::string pod_name;
  std::string pod_uid;
  std::string reason;
  std::optional<int> exit_code;
  std::string message;
  std::optional<WallTime> time;  // when it happened, as far as is known

  bool isCounted() const {
    return kind != FailureKind::kDisruption && kind != FailureKind::kMissing;
  }
};

/// How a pod failed; nothing while it runs, waits, or when it ended with a result.
std::optional<Failure> failureOf(const api::Pod& pod);

/// A word that may stand in a condition's reason, or the other.
std::string reasonOr(const std::string& word, const char* other);

}  // namespace sumac::trainingjob
