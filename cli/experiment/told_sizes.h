#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "kube/api/training_job.h"
#include "planner/autoscaling/decide.h"

namespace sumac::cli {

/// What chose the number of workers of a cluster's job, from its states, one after the other: its
/// own autoscaling, in `status.autoscaling`, or else whoever sets `spec.worker.replicas`, as a
/// HorizontalPodAutoscaler does. States may be missing between two. A state machine without a
/// clock.
class ToldSizes {
 public:
  struct Told {
    TimePoint at;
    int from = 0;
    int to = 0;  // `from`: it stays
    autoscaling::Reason reason = autoscaling::Reason::kMeasuring;
    std::string why;
  };

  void onJob(const api::TrainingJob& job, TimePoint now);

  /// Changes, and of each reason to keep a size the first since a change.
  const std::vector<Told>& all() const { return all_; }

 private:
  void onChoice(const api::AutoscalingStatus& choice, TimePoint now);
  void onReplicas(int workers, TimePoint now);

  int workers_ = 0;                     // in the last state; 0: none yet
  std::set<autoscaling::Reason> kept_;  // why it stays
  std::vector<Told> all_;
};

}  // namespace sumac::cli
