#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/json_tree.h"
#include "job/document/training_job.h"
#include "job/progress/job_result.h"
#include "job/progress/progress.h"
#include "kube/api/objects.h"

namespace sumac::api {

enum class ConditionStatus { kFalse, kTrue, kUnknown };

/// metav1.Condition.
struct Condition {
  std::string type;
  ConditionStatus status = ConditionStatus::kUnknown;
  std::int64_t observed_generation = 0;
  WallTime last_transition;  // moves only when status moves
  std::string reason;
  std::string message;

  bool operator==(const Condition&) const = default;
};

/// The condition types, all always present, in this order.
inline constexpr std::array<std::string_view, 6> kConditionTypes = {
    "Created", "Running", "Restarting", "Suspended", "Succeeded", "Failed"};

struct ReplicaStatus {
  int desired = 0;
  int active = 0;
  int ready = 0;
  int succeeded = 0;
  int failed = 0;

  bool operator==(const ReplicaStatus&) const = default;
};

struct LastFailure {
  std::string pod_name;
  std::string pod_uid;
  std::string reason;
  std::optional<int> exit_code;
  std::string message;
  WallTime time;

  bool operator==(const LastFailure&) const = default;
};

/// A member that is awaited: it is new, or its pod failed, and the next one was not ready yet.
struct Replacement {
  std::string member;                  // "worker-3"
  int failures = 0;                    // of its pods in a row, none of which was ready
  std::optional<WallTime> not_before;  // its pod is created later; empty: at once
  bool is_refused = false;             // it is not created again

  bool operator==(const Replacement&) const = default;
};

/// What a restart needs to remember (docs/design/job-life.md#recovery).
struct Recovery {
  int failures = 0;               // in a row without progress
  std::int64_t highest_step = 0;  // of all attempts
  std::vector<std::string> handled_pod_uids;
  int disruptions = 0;                 // in a row without progress
  std::optional<WallTime> not_before;  // pods of this attempt are created later; empty: at once
  std::vector<Replacement> replacements;

  bool operator==(const Recovery&) const = default;
};

/// A number of workers for which the cluster had no room.
struct RefusedScale {
  int workers = 0;
  std::int64_t generation = 0;  // of the spec that asked for it
  WallTime time;
  int tries = 1;  // in a row, each of which found no room
  std::string message;

  bool operator==(const RefusedScale&) const = default;
};

/// What a change of the number of workers needs to remember (docs/design/job-life.md#recovery).
struct ScaleStatus {
  std::optional<int> last_running;  // workers of the newest attempt whose pods all ran
  /// Since when another number of workers has kept the job from running; empty: it does not.
  std::optional<WallTime> since;
  std::optional<RefusedScale> refused;

  bool operator==(const ScaleStatus&) const = default;
};

/// What steps took with so many workers: means, in seconds.
struct SizeObservation {
  int workers = 0;
  std::int64_t steps = 0;
  double step_seconds = 0;
  double compute_seconds = 0;
  WallTime time;

  bool operator==(const SizeObservation&) const = default;
};

/// More workers than this had no room.
struct AutoscalingRoom {
  int workers = 0;
  WallTime until;  // when more are tried again
  int tries = 1;   // in a row, in vain
  // Where a quota that the operator can read refused them (api::QuotaLack): more are tried when it
  // has room. Empty: none did.
  std::string quota = {};
  std::string requested = {};

  bool operator==(const AutoscalingRoom&) const = default;
};

/// What spec.autoscaling has chosen, and all that the next choice depends on: an operator that
/// takes over goes on with it. Anybody with the right may have edited it.
struct AutoscalingStatus {
  int workers_wanted = 0;
  std::string reason;
  std::string message;
  std::optional<WallTime> last_change;
  std::optional<WallTime> first_start;  // deadlineSeconds count from it
  std::int64_t worker_seconds = 0;
  std::int64_t server_seconds = 0;
  std::optional<WallTime> accounted;  // until when these two count
  std::vector<SizeObservation> observations = {};
  // autoscaling::Memory
  int most = 0;
  int changes = 0;
  double settled_step_seconds = 0;
  std::optional<AutoscalingRoom> room = {};
  int pauses = 0;            // changes whose cost was measured
  double pause_seconds = 0;  // their mean

  bool operator==(const AutoscalingStatus&) const = default;
};

/// The members of the attempt, as its slot 0 last told, and how often they have changed.
struct MembershipStatus {
  std::int64_t term = 0;        // of the roster; 0: none of this attempt is known
  std::int64_t generation = 0;  // of the roster, within its term
  std::int64_t changes = 0;     // of the whole job
  std::int64_t earlier = 0;     // of these, before this term

  bool operator==(const MembershipStatus&) const = default;
};

/// status of a TrainingJob (docs/design/training-job.md#status).
struct JobStatus {
  std::int64_t observed_generation = 0;
  std::string state;
  std::string workers;
  int attempt = 0;
  int restarts = 0;
  int replaced = 0;
  int resizes = 0;
  int disruptions = 0;
  Recovery recovery;
  ScaleStatus scale;
  std::optional<AutoscalingStatus> autoscaling;
  MembershipStatus membership;
  std::vector<Condition> conditions;
  ReplicaStatus worker;
  ReplicaStatus server;
  std::string worker_selector;
  std::string coordinator;
  std::optional<Progress> progress;
  std::optional<JobResult> result;
  std::optional<LastFailure> last_failure;
  std::string operator_version;
  std::string template_hash;  // of the templates in force: TrainingJob::template_hash when pinned
  std::optional<WallTime> start_time;
  std::optional<WallTime> completion_time;
  std::optional<WallTime> last_scale_time;  // of the newest attempt that a change of size began

  bool operator==(const JobStatus&) const = default;

  /// Null when it is not there (yet).
  const Condition* find(std::string_view type) const;
  bool isTrue(std::string_view type) const;
  bool isFinished() const { return isTrue("Succeeded") || isTrue("Failed"); }
};

enum class CleanPodPolicy { kRunning, kAll, kNone };

/// Of spec, what the operator itself decides by. What is trained stands in `document`.
struct RunPolicy {
  CleanPodPolicy clean_pods = CleanPodPolicy::kRunning;
  int backoff_limit = 3;
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<std::int64_t> pre_running_deadline_seconds;
  std::optional<std::int64_t> scale_cool_down_seconds;
  std::optional<std::int64_t> scale_fit_seconds;
  std::optional<std::int64_t> ttl_seconds_after_finished;
};

/// A TrainingJob as the API server gives it.
struct TrainingJob {
  ObjectMeta meta;
  /// apiVersion, kind, metadata.name and spec, without status. Empty: the spec is not kept, and
  /// `spec_problem` says why.
  JsonTree document;
  std::string spec_problem;  // "larger than 262144 bytes"
  RunPolicy run_policy;
  int worker_replicas = 1;
  std::optional<int> min_replicas;
  std::optional<int> max_replicas;
  std::optional<job::AutoscalingSpec> autoscaling;
  bool suspend = false;
  std::string managed_by;     // empty: ours
  std::string template_hash;  // SHA-256 of the canonical JSON of both roles' templates
  JobStatus status;

  bool isManagedByUs() const { return managed_by.empty() || managed_by == "sumac.dev/operator"; }
};

}  // namespace sumac::api
