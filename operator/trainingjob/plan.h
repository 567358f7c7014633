#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/api/training_job.h"
#include "common/base/slot.h"
#include "common/kube/events.h"
#include "operator/trainingjob/observed.h"

namespace sumac::trainingjob {

struct CreateChild {
  Child child = Child::kService;
  bool operator==(const CreateChild&) const = default;
};

struct CreatePod {
  Slot slot;
  int attempt = 0;
  int workers = 0;  // of the whole attempt, as its status pins it
  bool operator==(const CreatePod&) const = default;
};

struct DeletePod {
  std::string name;
  std::string uid;     // precondition
  bool force = false;  // grace 0: the node is lost
  bool operator==(const DeletePod&) const = default;
};

/// After its time to live; with the uid as precondition.
struct DeleteJob {
  bool operator==(const DeleteJob&) const = default;
};

using Action = std::variant<CreateChild, CreatePod, DeletePod, DeleteJob>;

/// What to do now. Order: `actions` (children before pods, all of one kind side by side), then the
/// status if it differs, then the events, and these only after the status write worked.
/// Write-ahead: where a status must stand before its deeds (a restart, a failure that is counted),
/// the plan has that status and no actions, and the next pass, which sees the new status, does the
/// deeds.
struct Plan {
  std::vector<Action> actions;
  std::optional<api::JobStatus> status;  // nothing: unchanged
  std::vector<kube::EventNote> events;
  std::optional<Duration> again_after;  // deadlines, time to live, back-off
};

/// Decides. Pure: same input, same plan. design.md section 4 is its specification; each policy is a
/// file of this folder.
Plan plan(const Observed& observed, WallTime now);

}  // namespace sumac::trainingjob
