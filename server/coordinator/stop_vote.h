#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "common/base/slot.h"
#include "common/base/step.h"

namespace sumac::server {

/// Agrees on the last step when the job is asked to stop: PREPARE, each worker's highest begun
/// step, COMMIT of the highest of all; and counts who is through. A pure state machine.
class StopVote {
 public:
  explicit StopVote(int workers) : workers_(static_cast<std::size_t>(workers)) {}

  /// True when this starts the vote.
  bool request() { return !std::exchange(requested_, true); }
  bool requested() const { return requested_; }

  /// Returns the step to commit when this was the last answer.
  std::optional<Step> prepared(Slot worker, Step begun);
  std::optional<Step> committed() const { return committed_; }

  /// A worker trained to the step committed, or to the end of the job.
  void stopped(Slot worker) { stopped_.insert(worker); }
  void finished(Slot worker) { finished_.insert(worker); }

  /// Everyone trained to the end.
  bool allFinished() const { return finished_.size() == workers_; }
  /// Everyone is through, some before the end.
  bool allStopped() const;

 private:
  std::size_t workers_;
  bool requested_ = false;
  std::map<Slot, Step> begun_;
  std::optional<Step> committed_;
  std::set<Slot> stopped_;
  std::set<Slot> finished_;
};

}  // namespace sumac::server
