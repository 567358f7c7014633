#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "planner/autoscaling/simulated_job.h"

namespace sumac::autoscaling {

/// What events and noise make of the machines of a simulated job, whatever its size is.
class SimulatedWorld {
 public:
  explicit SimulatedWorld(const SimulatedJob& job) : job_(job) {}

  void happen(const SimulatedEvent& event);

  /// Whether a job that wants so many workers has to stop for a change when this happens.
  bool stops(const SimulatedEvent& event, int wanted) const;

  int room() const { return room_; }  // 0: for as many as are wanted
  int running(int wanted) const;
  /// As a coordinator tells it.
  std::optional<Straggler> straggler(int workers) const;

  /// What a step takes with so many, without noise.
  TrueStep step(int workers) const;

  /// By which factor a step takes longer at a time, and when that changes.
  double noiseAt(double now) const;
  double windowEnd(double now) const;

 private:
  std::int64_t windowOf(double now) const;

  const SimulatedJob& job_;  // outlives us
  int room_ = 0;
  double pace_ = 1;
  std::map<int, double> slow_;  // factors by worker
};

}  // namespace sumac::autoscaling
