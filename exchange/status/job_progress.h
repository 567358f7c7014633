#pragma once

#include <optional>
#include <string>

#include "base/telemetry/http_answer.h"
#include "job/progress/membership_report.h"
#include "job/progress/progress.h"

namespace sumac {

/// Identifies the job in /progress.
struct JobIdentity {
  std::string uid;      // of the TrainingJob; empty outside a cluster
  std::string attempt;  // a number in Kubernetes
};

/// The answer of /progress (docs/metrics.md): 503 before the first progress. `membership`: of the
/// roster that is followed; without a term it is not known.
HttpAnswer progressAnswer(const JobIdentity& job, const std::optional<Progress>& progress,
                          const MembershipReport& membership = {});

}  // namespace sumac
