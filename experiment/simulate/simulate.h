#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "job/profile/job_profile.h"
#include "planner/autoscaling/simulated_job.h"

#include "experiment/cells/cells.h"
#include "experiment/simulate/goals.h"

namespace sumac::experiment {

/// What a cell's job did on virtual time, and what that is compared with.
struct SimulatedCell {
  std::string why_not;  // it could not be simulated: one sentence; nothing below is known then
  std::vector<autoscaling::SimulatedRun> runs;  // one for each repetition
  Goals goals;
  // Of the sizes that cells of its group may have, with the same events and noise:
  int best_fixed = 0;              // the one that ends first where it is never changed
  double best_fixed_seconds = 0;   // when, on average
  double clairvoyant_seconds = 0;  // the same of a schedule that knows all of it beforehand
  std::size_t profile = 0;         // by which steps are predicted
};

/// Plays each cell's job to its end on virtual time, as often as its repetitions or the stop rule
/// say, which is about its time here, or once where there is no noise: the policy's own decide(),
/// the formula of a HorizontalPodAutoscaler, or a fixed size, with steps as the cost model predicts
/// them from the profiles (stepTimes()). A job is of all steps of the experiment, the warm-up's
/// included. Deterministic.
std::vector<SimulatedCell> simulateCells(const Experiment& experiment,
                                         const std::vector<Cell>& cells,
                                         const std::vector<JobProfile>& profiles);

}  // namespace sumac::experiment
