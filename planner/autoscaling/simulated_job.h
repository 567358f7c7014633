#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "planner/autoscaling/cpu_utilization.h"
#include "planner/autoscaling/decide.h"

namespace sumac::autoscaling {

/// What a step with so many workers really takes while nothing disturbs it.
struct TrueStep {
  double seconds = 0;
  double compute_seconds = 0;  // of the busiest worker
};

/// Something that happens to a simulated job.
struct SimulatedEvent {
  enum class Kind : std::uint8_t {
    kRoom,  // for `workers` in all from now on; 0: as many as wanted
    kSlow,  // computing takes worker `worker` `factor` times as long from now on
    kPace,  // every step takes all `factor` times as long from now on, as a noisy neighbor does it
    kKill,  // worker `worker` is lost, and there again after a change
  };

  double at = 0;  // seconds since the job started
  Kind kind = Kind::kRoom;
  int workers = 0;
  int worker = 0;
  double factor = 1;
};

/// A job on virtual time: no processes, no waiting.
struct SimulatedJob {
  int parts = 1;  // V
  int servers = 0;
  int min_workers = 1;
  int max_workers = 1;
  int first_workers = 1;  // at the start
  double steps = 1;
  double change_seconds = kChangeInPlaceSeconds;  // for which all stand still at a change
  double report_seconds = 10;                     // between two reports of progress
  double stabilization_seconds = 60;              // as the policy has it
  Prices prices = {};
  std::vector<ExpectedStep> expected = {};  // what the job knows of itself beforehand
  std::vector<SimulatedEvent> events = {};  // in order of time
  std::function<TrueStep(int workers)> step;
  /// What a report says of a step's time, over what it is; none: 1.
  std::function<double()> noise = {};
};

/// Chooses the number of workers after each report. The situation's newest report of the present
/// size is `report`.
using Sizer = std::function<Decision(const Situation& situation, const Observation& report)>;

Sizer fixedSize(int workers);
Sizer byPolicy(const Policy& policy);
Sizer byCpu(const CpuRule& rule);

struct SizeChange {
  double at = 0;
  int from = 0;
  int to = 0;
  Reason reason = Reason::kMeasuring;
};

/// A time with one number of workers, and what had been used when it began.
struct SizePhase {
  double begin = 0;
  int workers = 0;
  double worker_seconds = 0;
  double cost = 0;
};

struct SimulatedRun {
  double seconds = 0;
  double worker_seconds = 0;
  double server_seconds = 0;
  double cost = 0;              // of both at the job's prices
  double changing_seconds = 0;  // for which it stood still
  std::vector<SizeChange> changes;
  std::vector<SizePhase> phases;  // from the beginning to the end
};

/// Plays a job to its end. Requires steps that take a positive time, and a first size in bounds.
SimulatedRun simulate(const SimulatedJob& job, const Sizer& sizer);

/// How soon a schedule could end that knows all events beforehand: of all useful sizes in each time
/// between two events, with what changes cost, the best (dynamic programming). Kills cost it
/// nothing. Noise, neither.
double clairvoyantSeconds(const SimulatedJob& job);

}  // namespace sumac::autoscaling
