#pragma once

#include <vector>

#include "planner/autoscaling/simulated_job.h"

namespace sumac::autoscaling {

/// How soon a schedule could end that knows all events and all noise beforehand, may change at any
/// time, and begins with the size that it likes. It pays what simulate() makes all pay: changes,
/// and the pauses for workers that are lost or have no room. So no sizer that keeps to `sizes` ends
/// sooner, but for rounding. Requires at least one size, and a step for each number of workers that
/// these have in the room of all events.
double clairvoyantSeconds(const SimulatedJob& job, std::vector<int> sizes);

}  // namespace sumac::autoscaling
