#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "job/progress/membership_report.h"
#include "kube/api/quota.h"
#include "kube/api/training_job.h"
#include "operator/trainingjob/state/child.h"
#include "operator/trainingjob/state/record.h"
#include "operator/trainingjob/state/sizing.h"
#include "operator/trainingjob/state/spec_problem.h"

namespace sumac::trainingjob {

/// Why the API server does not carry out a request for this job.
struct Refusal {
  std::string what;     // "pod lenet5-worker-0"
  int status = 0;       // HTTP
  std::string reason;   // "Invalid", "Forbidden"
  std::string message;  // complete
  bool is_quota = false;
  /// Whether it was not rejected, but has failed again and again: no answer, an error of the server
  /// or of a webhook.
  bool is_failure = false;
  /// Whether we ended the request ourselves, because the operator ends: says nothing about it.
  bool is_stopped = false;
  /// Whether nothing was rejected: somebody else has to make the object, and has not.
  bool is_absent = false;
  Duration lasts{};  // since it was refused first, each time since then
};

/// Everything that one decision depends on. A value type.
struct Observed {
  std::shared_ptr<const api::TrainingJob> job;
  /// Whether the API server itself has said that `job` is its newest version: then no pod is of an
  /// attempt that its status has not reached, whatever the pod's label says.
  bool is_newest = false;
  std::vector<std::shared_ptr<const api::Pod>> pods;  // of this job (uid), of any attempt
  /// Slots of the current attempt whose pod is gone, as the API server itself has said.
  std::vector<Slot> gone;
  /// Names of pods we need that are held by pods of somebody else.
  std::vector<std::string> foreign_pods;
  ChildState service = ChildState::kMissing;
  ChildState config_map = ChildState::kMissing;
  ChildState secret = ChildState::kMissing;
  ChildState network_policy = ChildState::kMissing;
  ChildState readers_policy = ChildState::kMissing;
  ChildState code = ChildState::kMissing;  // of a job that brings its sources along
  Readers readers;                         // none: there is no policy of readers
  /// The job's record. Empty: it is not read yet, or `problem` says why none can be made.
  std::optional<JobRecord> record;
  /// Of the spec as it is now. A job that has its record may have one too: of its templates, which
  /// are read again when it is resumed.
  std::optional<SpecProblem> problem;
  /// The newest progress that slot 0 reported for this job and attempt.
  std::optional<Progress> progress;
  std::optional<MembershipReport> membership;  // told with it
  /// What this operator has seen of a job that sizes itself; null: nothing yet.
  std::shared_ptr<const Sizing> sizing;
  std::optional<Refusal> refusal;
  /// Of the job's namespace; nothing: the operator does not know them.
  std::optional<api::Quotas> quotas;
  /// Pods that we deleted and that the watch still shows, by uid.
  std::vector<std::string> deleting_uids;
  /// Pods that we deleted by force and that the watch still shows.
  std::vector<std::string> forced_uids;
  /// Pods whose deletion has failed and is not tried again yet.
  std::vector<std::string> held_uids;
  /// Since this operator last wrote the job's status; empty: it has not written it.
  std::optional<Duration> status_age;
  int running_jobs = 1;     // of the whole operator: with more, progress is written less often
  double status_rate = 50;  // requests per second that the operator may send
  std::string operator_version;
};

}  // namespace sumac::trainingjob
