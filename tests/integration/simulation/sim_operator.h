#pragma once

#include <memory>
#include <string>
#include <vector>

#include "operator/trainingjob/policy/policies.h"
#include "tests/integration/simulation/sim_job.h"

namespace sumac {

/// The operator of a cluster for one simulated job: the decisions of production
/// (operator/trainingjob/policy), on pods that are the job's processes, on the same clock. A pod's
/// process starts a moment after the pod is created. What the decisions see is never old; that is
/// for tests/unit/operator/trainingjob/simulation_test.cc.
class SimOperator {
 public:
  /// The references outlive us. Of options with `is_operated`.
  SimOperator(const SimOptions& options, SimJob& job);

  /// Looks four times a second from now on.
  void start();
  void scaleTo(int workers);
  /// The pod is deleted by others: its process has 30 s.
  void evict(Slot slot);
  /// Members whose process runs.
  std::vector<Slot> running() const;
  /// Whether the job is over, and its processes are gone.
  bool isOver() const;
  const api::JobStatus& status() const { return training_job_.status; }

 private:
  struct Pod {
    api::Pod seen;
    TimePoint starts_at;
    std::optional<Member> process;
    std::optional<TimePoint> killed_at;
    int workers = 0;       // that the job was to have as it was created
    bool is_told = false;  // to end
  };

  void tick();
  void look(Pod& pod);
  bool pass();
  Step toldStep() const;
  void create(const trainingjob::CreatePod& action);
  void erase(const trainingjob::DeletePod& action);
  void askToEnd(Pod& pod);
  WallTime wallTime() const;

  SimJob& job_;
  SimNetwork& network_;
  const Step steps_;
  const Slot slot0_;
  api::TrainingJob training_job_;
  trainingjob::Observed observed_;  // all but job and pods
  std::vector<std::unique_ptr<Pod>> pods_;
  int uids_ = 0;
};

}  // namespace sumac
