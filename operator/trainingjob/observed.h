#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/api/training_job.h"
#include "common/base/clock.h"
#include "common/base/wall_time.h"
#include "operator/trainingjob/record.h"

namespace sumac::trainingjob {

enum class Child { kService, kConfigMap, kSecret, kNetworkPolicy };

enum class ChildState {
  kMissing,  // to be made
  kPresent,  // ours: made by this job, by uid
  kForeign,  // somebody else's object has the name
  kGoing,    // being deleted: the name is free later
};

/// Why the API server refused something of this job in the last pass.
struct Refusal {
  std::string what;     // "pod lenet5-worker-0"
  int status = 0;       // HTTP
  std::string reason;   // "Invalid", "Forbidden"
  std::string message;  // whole
  bool is_quota = false;
};

/// Everything one decision is made from.
struct Observed {
  std::shared_ptr<const api::TrainingJob> job;
  std::vector<std::shared_ptr<const api::Pod>> pods;  // of this very job (uid), any attempt
  /// Foreign pods that hold the name of one of ours, by name.
  std::vector<std::string> foreign_pods;
  ChildState service = ChildState::kMissing;
  ChildState config_map = ChildState::kMissing;
  ChildState secret = ChildState::kMissing;
  ChildState network_policy = ChildState::kMissing;
  /// What the job is made of; or why its spec cannot be used (InvalidSpec).
  std::optional<JobRecord> record;
  std::string invalid_spec;
  /// The newest answer of slot 0 that belongs to this job and attempt.
  std::optional<api::Progress> progress;
  std::optional<Refusal> refusal;
  /// Pods that we deleted and whose end the watch has not shown yet, by uid.
  std::vector<std::string> deleting_uids;
  /// Nodes known to be lost (their pods carry it as reason or the node is not ready): only through
  /// the pods; nodes are not read.
  int running_jobs = 1;     // of the operator: slows down progress writes
  double status_rate = 50;  // requests a second that the operator may send
  std::string operator_version;
};

}  // namespace sumac::trainingjob
