#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/core/clock.h"
#include "base/core/step.h"
#include "exchange/membership/roster.h"
#include "job/progress/job_event.h"

namespace sumac {

/// What a change of members has cost, from the first worker that had to wait to the last that has
/// the state. Changes that meet are one. A pure state machine; owned by the coordinator.
class ChangeReport {
 public:
  /// Somebody has joined, left or was lost.
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
  /// All have the state: the whole change, once; none where there is none to tell of.
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
