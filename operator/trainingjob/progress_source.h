#pragma once

#include <optional>
#include <string>

#include "common/api/training_job.h"

namespace sumac::trainingjob {

/// Slot 0 of one attempt of one job, and where it tells how far it is.
struct ProgressTarget {
  api::ObjectKey key;
  std::string uid;
  int attempt = 0;
  std::string ip;  // empty: it does not run, and what it told last is kept

  bool operator==(const ProgressTarget&) const = default;
};

/// Knows how far jobs are, by asking their slots 0 in the background. Safe from any thread.
class ProgressSource {
 public:
  virtual ~ProgressSource() = default;
  /// Asks this slot 0 from now on; in place of another of the same job.
  virtual void follow(const ProgressTarget& target) = 0;
  virtual void forget(const api::ObjectKey& key) = 0;
  /// The newest answer of this attempt of this very job.
  virtual std::optional<api::Progress> latest(const api::ObjectKey& key, const std::string& uid,
                                              int attempt) const = 0;
};

}  // namespace sumac::trainingjob
