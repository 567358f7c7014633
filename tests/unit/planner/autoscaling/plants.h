#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <ostream>
#include <random>
#include <vector>

#include "planner/autoscaling/simulated_job.h"

namespace sumac::autoscaling::testing {

/// How a job differs from what decide() expects of it. A third of all plants does.
enum class Flaw : std::uint8_t {
  kNone,
  kSlowerWithSize,  // N workers compute and exchange slower than the model says, as on shared cores
  kNeighbor,        // all is slower for some seconds, now and then
  kJump,            // in the middle all becomes faster or slower for good
};

/// A job drawn by a seed whose best run lasts at least 20 times (stabilization + a change):
/// servers, owners, direct or ring-like exchanges, computing and exchange in all proportions, of
/// which the latter is expected to take a twentieth of its time, all of it, or something between.
struct Plant {
  std::uint32_t seed = 0;
  Flaw flaw = Flaw::kNone;
  SimulatedJob job;
  std::vector<int> sizes;  // the useful ones
  double units = 0;        // the best run, in stabilization + a change

  bool isSteady() const { return flaw == Flaw::kNone || flaw == Flaw::kSlowerWithSize; }
};

Plant plantOf(std::uint32_t seed);

/// For rapidcheck's counterexamples.
std::ostream& operator<<(std::ostream& out, const Plant& plant);

/// How the job ends with each useful size from beginning to end.
std::map<int, SimulatedRun> fixedRuns(const Plant& plant);

using Random = std::mt19937_64;

double uniform(Random& random, double low, double high);
/// Noise of a seed: factors from `low` to `high`, one for each window.
std::function<double(std::int64_t window)> noiseOf(std::uint64_t seed, double low, double high);
double logUniform(Random& random, double low, double high);
int oneOf(Random& random, int first, int last);

}  // namespace sumac::autoscaling::testing
