#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/core/clock.h"
#include "base/core/slot.h"
#include "kube/api/training_job.h"
#include "kube/client/events.h"
#include "operator/trainingjob/state/child.h"
#include "operator/trainingjob/state/sizing.h"

namespace sumac::trainingjob {

struct CreateChild {
  Child child = Child::kService;
  bool operator==(const CreateChild&) const = default;
};

struct CreatePod {
  Slot slot;
  int attempt = 0;
  int workers = 0;  // number of workers of the attempt, as its status records it
  /// Names of claims that this pod does not mount: one node alone can, and that is worker 0's.
  /// Known once it is made.
  std::set<std::string> elsewhere = {};
  bool operator==(const CreatePod&) const = default;
};

struct DeletePod {
  std::string name;
  std::string uid;     // sent as a precondition
  bool force = false;  // grace period 0: the node is lost
  bool operator==(const DeletePod&) const = default;
};

/// Asks the API server for a pod that the cache does not show.
struct LookUpPod {
  Slot slot;
  int attempt = 0;
  bool operator==(const LookUpPod&) const = default;
};

/// Asks the API server for the job itself: its pods are of an attempt that the status which the
/// cache has does not know.
struct LookUpJob {
  bool operator==(const LookUpJob&) const = default;
};

/// Deletes the job after its time to live, with its uid as a precondition.
struct DeleteJob {
  bool operator==(const DeleteJob&) const = default;
};

using Action = std::variant<LookUpJob, LookUpPod, CreateChild, CreatePod, DeletePod, DeleteJob>;

/// What to do now. Order: `actions` (look-ups, after which everything is decided again; children
/// before pods, all of one kind in parallel), then the status if it differs, then the events. What
/// fails ends the pass: the steps after it are left to the next one, so events are sent only if all
/// before them was done.
///
/// Write-ahead: if a status must be written before it is acted on (a restart, a counted failure),
/// the decision has that status and no actions; the next pass sees the new status and acts on it.
struct Decision {
  std::vector<Action> actions;
  std::optional<api::JobStatus> status;  // empty: unchanged
  std::vector<kube::EventNote> events;
  std::optional<Duration> again_after;  // deadlines, time to live, back-off
  /// Of a job that sizes itself, for Observed::sizing of the next decision, once the status is
  /// written; null: as it was.
  std::shared_ptr<const Sizing> sizing = nullptr;
};

}  // namespace sumac::trainingjob
