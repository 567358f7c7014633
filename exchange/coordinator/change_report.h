#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/clock.h"
#include "base/core/step.h"
#include "exchange/membership/roster.h"
#include "job/progress/job_event.h"

namespace sumac {

/// Collects what a change of members costs, from the moment when the first worker has to wait until
/// the last one has the state. Changes that overlap are one. A pure state machine; owned by the
/// coordinator.
class ChangeReport {
 public:
  /// A member has joined, has left or was lost.
  void addCause(const std::string& what);
  /// Workers have to wait from now on.
  void beginPause(TimePoint now) {
    if (!paused_) paused_ = now;
  }
  /// The step that is open is computed again.
  void dropStep() { drops_step_ = true; }
  /// The next roster, which starts after `roster.start_step`; `before`: the step that the one
  /// before started after.
  void issue(const Roster& roster, std::optional<Step> before);
  /// A worker has got so many bytes of the state.
  void addBytes(std::uint64_t bytes) { change_.bytes += bytes; }
  /// All workers have the state: returns the change, once; none if there was none.
  std::optional<MembersChanged> finish(TimePoint now);

  /// Of the change under way, for people.
  const std::string& causes() const { return change_.cause; }

 private:
  MembersChanged change_;
  std::optional<TimePoint> paused_;
  bool drops_step_ = false;
  bool is_issued_ = false;  // a roster of the change
};

}  // namespace sumac
