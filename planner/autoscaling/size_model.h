#pragma once

#include <span>
#include <vector>

#include "planner/autoscaling/memory.h"

namespace sumac::autoscaling {

/// What a step with so many workers is expected to take, in any unit: only ratios between sizes
/// count once one of them was observed.
struct ExpectedStep {
  int workers = 0;
  double compute = 0;   // of the busiest worker
  double exchange = 0;  // what of the exchange computing does not hide

  bool operator==(const ExpectedStep&) const = default;
};

struct SizeTime {
  double seconds = 0;  // of a step
  bool is_observed = false;

  bool operator==(const SizeTime&) const = default;
};

/// The time of a step with N workers, t(N) = c ceil(V/N) + x(N). A size that was observed has its
/// own mean. For others, both terms of the expected step are scaled by what observed ones took,
/// observed over expected: that of the nearest size, or in between of the sizes on both sides,
/// linear in N. So what has never been tried looks as good as the model says (AdaptDL pins
/// parameters to their optimistic values for the same reason, Dynamo's planner corrects by observed
/// over expected).
///
/// Refers to its arguments, which must outlive it. Allocates nothing.
class SizeModel {
 public:
  /// Where `expected` lacks a size, computing is as its ceil(V/N), and the exchange the same for
  /// all sizes but 1. Requires observations that observe() would take.
  SizeModel(int parts, std::span<const ExpectedStep> expected,
            std::span<const Observation> observations, double stabilization_seconds);

  /// Where the slowest worker computes `slowdown` times as long as equal ones. Requires an
  /// observation.
  SizeTime operator()(int workers, double slowdown = 1) const;

 private:
  struct Scale;
  ExpectedStep expectedOf(int workers) const;
  Scale scaleOf(const Observation& observed) const;
  Scale scaleAt(int workers) const;

  const int parts_;
  const std::span<const ExpectedStep> expected_;
  const std::span<const Observation> observations_;
  const double stabilization_seconds_;
};

}  // namespace sumac::autoscaling
