#pragma once

#include <utility>
#include <vector>

#include "planner/autoscaling/memory.h"

namespace sumac::autoscaling {

/// A HorizontalPodAutoscaler on the processor time of workers, with Kubernetes' defaults.
struct CpuRule {
  double target = 0.8;  // utilization: of the request
  double request = 1;   // cores of a worker's pod
  int threads = 1;      // that a worker computes with
  double period_seconds = 15;
  double tolerance = 0.1;
  double down_stabilization_seconds = 300;

  bool operator==(const CpuRule&) const = default;
};

/// What it remembers: when it recommended how many.
struct CpuHistory {
  std::vector<std::pair<double, int>> recommended;  // not older than down_stabilization_seconds
};

/// Of its request, what a worker's pod uses on average while steps take so long. A worker that
/// waits stays awake for 300 us a step (docs/threads.md), which counts as use.
double cpuUtilization(const CpuRule& rule, const Observation& observed, int parts);

/// How many workers it asks for, by the formula that Kubernetes documents
/// (tasks/run-application/horizontal-pod-autoscale, "Algorithm details"): ceil(present x
/// utilization / target), no change within the tolerance, at most twice as many or four more a
/// period, and no fewer than at any time of the down-stabilization. Pure but for the history.
/// Requires 1 <= min <= max; call it once a period.
int recommendedByCpu(const CpuRule& rule, CpuHistory& history, const Observation& observed,
                     int parts, std::pair<int, int> bounds);

}  // namespace sumac::autoscaling
