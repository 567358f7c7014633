#include "tests/unit/planner/autoscaling/plants.h"

#include <algorithm>
#include <cmath>

#include "planner/autoscaling/useful_sizes.h"

namespace sumac::autoscaling::testing {
namespace {

enum Exchange : std::uint8_t { kServers, kOwners, kDirect, kHalving };

/// What an exchange of N workers takes, of one between two.
double shapeOf(Exchange exchange, int workers, int servers) {
  const double n = workers;
  switch (exchange) {
    case kServers: return std::max(n / servers, 1.0) + 0.2;
    case kOwners: return 2 * (n - 1) / n;
    case kDirect: return n - 1;
    case kHalving: return 0.7 * std::ceil(std::log2(n));
  }
  return 0;
}

void drawBounds(SimulatedJob& job, Random& random) {
  job.parts = oneOf(random, 0, 9) == 0 ? oneOf(random, 33, 64) : oneOf(random, 1, 32);
  job.min_workers = oneOf(random, 0, 2) > 0 ? 1 : oneOf(random, 1, std::min(4, job.parts));
  job.max_workers = oneOf(random, 0, 1) > 0 ? job.parts : oneOf(random, job.min_workers, job.parts);
  job.first_workers = job.min_workers;
}

/// Computing and exchange, and what is expected of them.
void drawSteps(Plant& plant, Random& random) {
  SimulatedJob& job = plant.job;
  const auto exchange = static_cast<Exchange>(oneOf(random, kServers, kHalving));
  if (exchange == kServers) job.servers = oneOf(random, 1, 3);
  const double serial = logUniform(random, 0.005, 5);
  const double ratio = logUniform(random, 0.002, 3);
  const double expected = logUniform(random, 0.05, 1);
  const double slower = plant.flaw == Flaw::kSlowerWithSize ? uniform(random, 0.02, 0.4) : 0;
  const int parts = job.parts;
  const int servers = std::max(1, job.servers);
  job.step = [=](int workers) {
    const double factor = 1 + slower * (workers - 1);
    const double compute = factor * serial * busiestParts(parts, workers) / parts;
    return TrueStep{compute + factor * serial * ratio * shapeOf(exchange, workers, servers),
                    compute};
  };
  for (const int size : plant.sizes)
    job.expected.push_back({size, serial * busiestParts(parts, size) / parts,
                            expected * serial * ratio * shapeOf(exchange, size, servers)});
}

void drawEvents(Plant& plant, Random& random, double run) {
  auto& events = plant.job.events;
  const auto pace = [&events](double at, double factor) {
    events.push_back({.at = at, .kind = SimulatedEvent::Kind::kPace, .factor = factor});
  };
  if (plant.flaw == Flaw::kJump)
    pace(uniform(random, 0.25, 0.75) * run, logUniform(random, 0.5, 2));
  if (plant.flaw != Flaw::kNeighbor) return;
  for (double at = 0; at < 3 * run && events.size() < 40;) {
    at += logUniform(random, 60, run / 3);
    pace(at, uniform(random, 1.2, 3));
    at += uniform(random, 3, 45);
    pace(at, 1);
  }
}

}  // namespace

double uniform(Random& random, double low, double high) {
  return std::uniform_real_distribution<>(low, high)(random);
}

std::function<double(std::int64_t window)> noiseOf(std::uint64_t seed, double low, double high) {
  return [=](std::int64_t window) {
    // SplitMix64: numbers that depend on their index alone.
    std::uint64_t bits =
        (seed << 32) + (static_cast<std::uint64_t>(window) + 1) * 0x9E3779B97F4A7C15;
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EB;
    return low + (high - low) * static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
  };
}

double logUniform(Random& random, double low, double high) {
  return std::exp(uniform(random, std::log(low), std::log(high)));
}

int oneOf(Random& random, int first, int last) {
  return std::uniform_int_distribution<>(first, last)(random);
}

Plant plantOf(std::uint32_t seed) {
  Random random(seed);
  Plant plant;
  plant.seed = seed;
  const int flaw = oneOf(random, 0, 8);
  plant.flaw = flaw < 3 ? static_cast<Flaw>(flaw + 1) : Flaw::kNone;
  SimulatedJob& job = plant.job;
  drawBounds(job, random);
  plant.sizes = usefulSizes(job.parts, job.min_workers, job.max_workers);
  drawSteps(plant, random);
  job.change_seconds = oneOf(random, 0, 1) > 0 ? kChangeInPlaceSeconds : kChangeByRestartSeconds;
  double best = job.step(plant.sizes.front()).seconds;
  for (const int size : plant.sizes)
    best = std::min(best, job.step(size).seconds);
  plant.units = logUniform(random, 20, 120);
  const double run = plant.units * (job.stabilization_seconds + job.change_seconds);
  job.steps = std::ceil(run / best);
  drawEvents(plant, random, run);
  return plant;
}

std::ostream& operator<<(std::ostream& out, const Plant& plant) {
  const SimulatedJob& job = plant.job;
  out << "seed " << plant.seed << ", flaw " << static_cast<int>(plant.flaw) << ", V " << job.parts
      << ", K " << job.servers << ", a change " << job.change_seconds << " s, " << job.steps
      << " steps;";
  for (const int size : plant.sizes)
    out << " " << size << ": " << job.step(size).seconds << " s";
  return out;
}

std::map<int, SimulatedRun> fixedRuns(const Plant& plant) {
  SimulatedJob job = plant.job;
  job.noise = nullptr;
  job.report_seconds = 1e9;  // nobody reads them
  std::map<int, SimulatedRun> runs;
  for (const int size : plant.sizes) {
    job.first_workers = size;
    runs[size] = simulate(job, fixedSize(size));
  }
  return runs;
}

}  // namespace sumac::autoscaling::testing
