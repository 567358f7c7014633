#pragma once

#include <map>
#include <optional>
#include <set>

#include "base/core/slot.h"
#include "base/core/step.h"

namespace sumac {

/// Determines the last step of a job that is asked to stop: after PREPARE each worker answers with
/// the highest step it has started; COMMIT names the highest of all. Then counts the workers that
/// are finished with it. Workers that are lost meanwhile do not count. A pure state machine.
class StopVote {
 public:
  explicit StopVote(int workers) : workers_(static_cast<std::size_t>(workers)) {}

  /// Returns the step to commit when this was the last answer.
  std::optional<Step> prepared(Slot worker, Step begun);
  std::optional<Step> committed() const { return committed_; }

  /// A worker trained to the committed step, or to the end of the job.
  void stopped(Slot worker) { stopped_.insert(worker); }
  void finished(Slot worker) { finished_.insert(worker); }

  /// Nothing more is expected of this worker.
  void lost(Slot worker) { lost_.insert(worker); }
  bool isThrough(Slot worker) const {
    return stopped_.contains(worker) || finished_.contains(worker);
  }

  /// All workers trained to the end.
  bool allFinished() const { return finished_.size() == workers_; }
  /// All workers but those lost are finished, some before the end of the job.
  bool allStopped() const;

 private:
  std::size_t workers_;
  std::map<Slot, Step> begun_;
  std::optional<Step> committed_;
  std::set<Slot> stopped_;
  std::set<Slot> finished_;
  std::set<Slot> lost_;
};

}  // namespace sumac
