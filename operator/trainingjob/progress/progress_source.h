#pragma once

#include <optional>
#include <string>

#include "job/progress/membership_report.h"
#include "kube/api/training_job.h"

namespace sumac::trainingjob {

/// Slot 0 of one attempt of one job, and the address that serves its progress.
struct ProgressTarget {
  api::ObjectKey key;
  std::string uid;
  int attempt = 0;
  std::string ip;  // empty: it is not running; its last answer is kept

  bool operator==(const ProgressTarget&) const = default;
};

/// What slot 0 tells of its job.
struct ProgressAnswer {
  Progress progress;
  std::optional<MembershipReport> membership;  // none: an earlier version tells none

  bool operator==(const ProgressAnswer&) const = default;
};

/// The progress of running jobs, polled from their slots 0 in the background. Safe from any thread.
class ProgressSource {
 public:
  virtual ~ProgressSource() = default;
  /// Polls this slot 0 from now on, in place of an earlier one of the same job.
  virtual void follow(const ProgressTarget& target) = 0;
  virtual void forget(const api::ObjectKey& key) = 0;
  /// The newest answer of this attempt of the job with this uid; empty if there is none.
  virtual std::optional<ProgressAnswer> latest(const api::ObjectKey& key, const std::string& uid,
                                               int attempt) const = 0;
};

}  // namespace sumac::trainingjob
