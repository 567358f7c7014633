#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/wall_time.h"
#include "operator/trainingjob/policy/view.h"
#include "operator/trainingjob/state/actions.h"
#include "operator/trainingjob/state/observed.h"

namespace sumac::trainingjob {

/// A decision that is being made. The policies of this folder read and change it one after the
/// other.
struct Draft {
  Draft(const Observed& seen, WallTime time);

  const Observed& observed;  // outlives us
  const api::TrainingJob& job;
  const api::JobStatus& before;  // the current status
  api::JobStatus next;           // the status to write
  const View view;
  const WallTime now;  // in whole seconds, like times in a status
  std::vector<Action> actions;
  std::vector<kube::EventNote> events;
  std::optional<Duration> again_after;
  std::shared_ptr<const Sizing> sizing;  // of a job that sizes itself
  /// A number that such a job would choose, if a worker trained that stays; empty: none.
  std::optional<int> held_workers;

  /// Request another pass, after `wait` or at `time`. Of several requests the earliest counts.
  void againAfter(Duration wait);
  void againAt(WallTime time);
  /// Add an event of type Normal or Warning.
  void note(const std::string& reason, const std::string& message);
  void warn(const std::string& reason, const std::string& message);
};

}  // namespace sumac::trainingjob
