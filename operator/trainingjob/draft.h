#pragma once

#include <optional>
#include <string>
#include <vector>

#include "operator/trainingjob/observed.h"
#include "operator/trainingjob/plan.h"
#include "operator/trainingjob/view.h"

namespace sumac::trainingjob {

/// Which members the job's mode does without for a while, so that one pod is replaced and the
/// others go on. No mode does yet.
struct Absorbs {
  bool workers = false;
  bool servers = false;

  bool holds(Slot slot) const { return slot.role == Role::kWorker ? workers : servers; }
};

/// A plan in the making: what the policies of this folder read and write, one after the other.
struct Draft {
  Draft(const Observed& seen, WallTime time);

  const Observed& observed;  // outlives us
  const api::TrainingJob& job;
  const api::JobStatus& before;  // the status as it is
  api::JobStatus next;           // the status as it shall be
  const View view;
  const WallTime now;  // whole seconds, as a status can hold
  const Absorbs absorbs;
  std::vector<Action> actions;
  std::vector<kube::EventNote> events;
  std::optional<Duration> again_after;

  /// Asks for another pass then, if no earlier one was asked for.
  void againAfter(Duration wait);
  void againAt(WallTime time);
  void note(const std::string& reason, const std::string& message);
  void warn(const std::string& reason, const std::string& message);
};

}  // namespace sumac::trainingjob
