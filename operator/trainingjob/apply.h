#pragma once

#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "operator/trainingjob/create_object.h"
#include "operator/trainingjob/executor.h"
#include "operator/trainingjob/memory.h"
#include "operator/trainingjob/plan.h"
#include "operator/trainingjob/reconciler.h"

namespace sumac::trainingjob {

/// What became of a plan.
struct Applied {
  bool has_failed = false;   // something may work later: again after the key's back-off
  bool was_refused = false;  // newly: the memory has why
  std::shared_ptr<const api::TrainingJob> written;  // the job with its new status
};

/// Carries out one plan for one job, once. Order: children, pods, deletions, status, events; what
/// comes later is left out when something before it failed or was refused. Nothing is sent after
/// `stop`, nor after kLongest: requests that nobody answers must not add up to hours, in which the
/// pass would be taken for one that hangs. The rest is for the next pass.
class Apply {
 public:
  static constexpr Duration kLongest = std::chrono::minutes(5);

  /// All outlive us.
  Apply(const ReconcilerParts& parts, Executor& executor, const std::stop_token& stop,
        JobMemory& memory);

  Applied run(const api::TrainingJob& job, const Plan& plan);

 private:
  // apply_creates.cc. Whether all children that pods need are there.
  bool createChildren(const api::TrainingJob& job, const std::vector<CreateChild>& wanted);
  Creation createChild(const api::TrainingJob& job, Child child) const;
  void createPods(const api::TrainingJob& job, const std::vector<CreatePod>& wanted);
  Creation createPod(const api::TrainingJob& job, const CreatePod& pod) const;
  bool hasOtherChildren() const;
  bool mayTry(const std::string& what);
  void settle(const std::string& what, const Creation& creation);
  void adoptChild(Child child, const Creation& creation);

  // apply.cc
  void deletePods(const api::TrainingJob& job, const std::vector<DeletePod>& pods);
  bool deletePod(const api::TrainingJob& job, const DeletePod& pod) const;
  void deleteJob(const api::TrainingJob& job);
  void writeStatus(const api::TrainingJob& job, const api::JobStatus& status);
  void emitEvents(const api::TrainingJob& job, const std::vector<kube::EventNote>& notes);
  void forgetOldHolds();
  bool mustNotSend() const;
  bool isOver() const;

  const ReconcilerParts& parts_;
  Executor& executor_;
  const std::stop_token& stop_;
  JobMemory& memory_;
  const TimePoint begun_;
  Applied applied_;
  std::set<std::string> asked_;  // what the plan wants to be created, held back or not
};

}  // namespace sumac::trainingjob
