#pragma once

#include <string>

#include "operator/trainingjob/policy/scale.h"
#include "tests/unit/operator/trainingjob/job_fixture.h"

namespace sumac::trainingjob {

inline constexpr Slot kWorker3{Role::kWorker, 3};

/// A job that runs with two workers and may have up to four.
struct FullCluster : JobFixture {
  FullCluster() {
    job.min_replicas = 1;
    job.max_replicas = 4;
    start();
  }

  void edit() { ++job.meta.generation; }

  void scaleTo(int replicas) {
    job.worker_replicas = replicas;
    edit();
    settle();
  }

  /// The pods of the attempt exist, and there is room for all but worker 3.
  void makePods() {
    settle();
    letGo();
    settle();
    letGo();
    settle();
    for (api::Pod& each : pods) {
      each.is_scheduled = each.slot != kWorker3;
      if (each.is_scheduled) continue;
      each.unscheduled_reason = "Unschedulable";
      each.unscheduled_message = "0/3 nodes are available: 3 Insufficient cpu.";
    }
    settle();
  }

  void scaleInVain() {
    scaleTo(4);
    makePods();
    advance(kScaleFit);
    settle();
  }

  void refuseWorker3ByQuota() {
    observed.refusal = Refusal{.what = "pod lenet5-worker-3",
                               .status = 403,
                               .reason = "Forbidden",
                               .message = "exceeded quota: few",
                               .is_quota = true};
  }

  /// All pods run.
  void run() {
    makePods();
    makeReady();
    settle();
  }

  bool isWaiting() const {
    return condition("Running").message.find(" waits: 4 from ") != std::string::npos;
  }
};

}  // namespace sumac::trainingjob
