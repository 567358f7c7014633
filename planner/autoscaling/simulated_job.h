#pragma once

#include <cstdint>
#include <functional>
#include <string>
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
  double report_seconds = 10;  // reports of progress come at multiples of it, once a step is done
  double stabilization_seconds = 60;  // as the policy has it
  Prices prices = {};
  std::vector<ExpectedStep> expected = {};  // what the job knows of itself beforehand
  std::vector<SimulatedEvent> events = {};  // in order of time
  std::function<TrueStep(int workers)> step;
  /// How long a step takes where one worker computes `times` times as long as the busiest one, with
  /// times > 1; at least that computing. Pure; none: as much longer as computing.
  std::function<double(int workers, double times)> late_step = {};
  /// By which factor steps take longer in each window of report_seconds, which count from 0: the
  /// same whatever the job does. Pure; none: 1.
  std::function<double(std::int64_t window)> noise = {};
};

/// Chooses the number of workers after each report. The situation's newest report of the present
/// size is `report`.
using Sizer = std::function<Decision(const Situation& situation, const Observation& report)>;

Sizer fixedSize(int workers);
Sizer byPolicy(const Policy& policy);
Sizer byCpu(const CpuRule& rule);

/// A decision of a simulated job; or of a real one, of which the number of workers and the reason
/// are known alone.
struct SizeChange {
  double at = 0;
  int from = 0;  // workers until then
  Decision decision = {};
  std::string told = {};  // why, as a real job told it
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
  std::vector<SizeChange> stays;  // why it kept its size: of each reason the first since a change
  std::vector<SizePhase> phases;  // from the beginning to the end
};

/// Plays a job to its end. Requires steps that take a positive time, and a first size in bounds.
/// What happens while the job stands still for a change, and would stop it, begins that anew.
SimulatedRun simulate(const SimulatedJob& job, const Sizer& sizer);

}  // namespace sumac::autoscaling
