#pragma once

#include <map>
#include <optional>
#include <vector>

#include "operator/trainingjob/state/observed.h"

namespace sumac::trainingjob {

/// Whether the main container of a pod has ended, or will never start.
bool hasEnded(const api::Pod& pod);

/// The result that the pod left, if it ended with exit code 0: then its job is complete.
std::optional<JobResult> resultOf(const api::Pod& pod);

/// The pods of a job, sorted by attempt and slot. Holds pointers into the Observed it was made
/// from.
class View {
 public:
  explicit View(const Observed& observed);

  /// Pods of the current attempt (that of the status) whose failure is not handled yet, one per
  /// slot.
  const std::map<Slot, const api::Pod*>& current() const { return current_; }
  const api::Pod* find(Slot slot) const;

  /// Pods to delete, namely all that are not current: of another attempt, beyond the attempt's
  /// size, with a failure that is handled, with a label that is not ours, or a second one for a
  /// slot.
  const std::vector<const api::Pod*>& old() const { return old_; }

  /// All pods, whatever their attempt.
  const std::vector<const api::Pod*>& all() const { return all_; }

  /// Whether a pod belongs to a later attempt than that of the status, which may be outdated: then
  /// nothing may be decided from it. Of the newest status it only says that somebody edited a label
  /// or the status, because the status is written before a pod of its attempt is made.
  bool isAhead() const { return newest_attempt_ > attempt_ && !observed_.is_newest; }

  /// All slots of the attempt but those that the job refused, in order. Without the job's record,
  /// these are the slots that have a pod: which ones are missing is not known.
  const std::vector<Slot>& expected() const { return expected_; }
  const std::vector<Slot>& refused() const { return refused_; }
  Slot coordinator() const { return coordinator_; }

  /// Whether the pod is being deleted, by us or by others.
  bool isBeingDeleted(const api::Pod& pod) const;

  /// Whether members come, go and are replaced within the attempt: the job can, and has run.
  bool changesMembers() const;
  /// Whether a worker of the attempt runs, and will go on for all that is known: it has what the
  /// others get by wire.
  bool hasLivingWorker() const;
  /// Whether members change, and only workers that would go with that many workers train: the job
  /// would start over, without their state. The number waits until another worker is a member.
  bool wouldLoseAllTrainers(int workers) const;
  bool hasPodNamed(const std::string& name) const;

  /// Whether every expected pod exists, is ready, and is not being deleted.
  bool areAllReady() const;

 private:
  bool isExpected(Slot slot) const;
  bool lives(const api::Pod& pod) const;
  void sortPods();

  const Observed& observed_;  // outlives us
  int attempt_ = 0;
  int newest_attempt_ = -1;  // of the pods; none: -1
  Slot coordinator_;
  std::vector<Slot> expected_;
  std::vector<Slot> refused_;
  std::map<Slot, const api::Pod*> current_;
  std::vector<const api::Pod*> old_;
  std::vector<const api::Pod*> all_;
};

}  // namespace sumac::trainingjob
