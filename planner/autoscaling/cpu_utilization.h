#pragma once

#include <utility>
#include <vector>

#include "planner/autoscaling/memory.h"

namespace sumac::autoscaling {

// A HorizontalPodAutoscaler on the processor time of workers, as Kubernetes documents it
// (tasks/run-application/horizontal-pod-autoscale: "Algorithm details", "Default behavior").

/// Its settings, with Kubernetes' defaults.
struct CpuRule {
  double target = 0.8;  // utilization: of the request
  double request = 1;   // cores of a worker's pod
  int threads = 1;      // that a worker computes with
  double period_seconds = 15;
  double tolerance = 0.1;
  double down_stabilization_seconds = 300;

  bool operator==(const CpuRule&) const = default;
};

/// A new pod has no metric before it has run for so long: metrics-server averages over two looks.
inline constexpr double kMetricSeconds = 15;

/// Of its request, what a worker's pod uses on average while steps take so long. A worker that
/// waits stays awake for 300 us a step (docs/threads.md), which counts as use.
double cpuUtilization(const CpuRule& rule, const Observation& observed, int parts);

/// What is known of the pods.
struct CpuMetrics {
  double utilization = 0;  // mean of those that are ready and have a metric
  int measured = 0;        // that many
  int missing = 0;         // that have no metric
  int not_ready = 0;       // that are not ready, or whose metric is from before they were

  int pods() const { return measured + missing + not_ready; }
};

/// How many pods the metrics ask for: ceil(measured x utilization / target), and as many as there
/// are within the tolerance, or where nothing is measured. Pods without a metric count as using
/// their target where fewer would be asked for, and as using nothing where more would; those that
/// are not ready as using nothing where more would, and else not at all. Where that turns the
/// direction nothing changes.
int askedByCpu(const CpuRule& rule, const CpuMetrics& metrics);

/// What it remembers: when it asked for how many, and when it added how many.
struct CpuHistory {
  std::vector<std::pair<double, int>> asked;  // not older than down_stabilization_seconds
  std::vector<std::pair<double, int>> added;  // not older than 15 s
};

/// How many pods there should be after a look at `at` seconds: no fewer than it asked for at any
/// time of the down-stabilization, or had when it began, and at most twice as many or four more
/// than 15 s before. Pure but for the history. Requires 1 <= min <= max, and pods; call it once a
/// period.
int recommendedByCpu(const CpuRule& rule, CpuHistory& history, const CpuMetrics& metrics, double at,
                     std::pair<int, int> bounds);

}  // namespace sumac::autoscaling
