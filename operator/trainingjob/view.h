#pragma once

#include <map>
#include <optional>
#include <vector>

#include "operator/trainingjob/observed.h"

namespace sumac::trainingjob {

/// Whether the main container of a pod has ended, or will never begin.
bool hasEnded(const api::Pod& pod);

/// Whether the pod ended with exit code 0 and a result: then its job is complete.
std::optional<api::TrainingResult> resultOf(const api::Pod& pod);

/// The pods of a job, sorted by what they are to it. Holds pointers into the Observed it was made
/// of.
class View {
 public:
  explicit View(const Observed& observed);

  /// Pods of the attempt that the status names, one a slot, that were not dealt with yet.
  const std::map<Slot, const api::Pod*>& current() const { return current_; }
  const api::Pod* find(Slot slot) const;

  /// Pods that have to go: of earlier attempts, beyond the attempt's size, or replaced.
  const std::vector<const api::Pod*>& old() const { return old_; }

  /// All pods, whatever their attempt.
  const std::vector<const api::Pod*>& all() const { return all_; }

  /// A pod of a later attempt than the status knows: the status is older than the pods, and nothing
  /// may be decided from it.
  bool isAhead() const { return newest_attempt_ > attempt_; }
  int newestAttempt() const { return newest_attempt_; }

  /// Every slot of the attempt, in order.
  const std::vector<Slot>& expected() const { return expected_; }
  Slot coordinator() const { return coordinator_; }

  /// Whether it is on its way out, asked by whomever.
  bool isGoing(const api::Pod& pod) const;

  /// Whether every expected pod is there, ready, and stays.
  bool areAllReady() const;

 private:
  bool isExpected(Slot slot) const;

  const Observed& observed_;  // outlives us
  int attempt_ = 0;
  int newest_attempt_ = -1;  // of the pods; none: -1
  Slot coordinator_;
  std::vector<Slot> expected_;
  std::map<Slot, const api::Pod*> current_;
  std::vector<const api::Pod*> old_;
  std::vector<const api::Pod*> all_;
};

}  // namespace sumac::trainingjob
