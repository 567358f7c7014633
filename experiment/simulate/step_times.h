#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "base/core/result.h"
#include "job/profile/job_profile.h"
#include "planner/autoscaling/simulated_job.h"

#include "experiment/cells/cells.h"
#include "experiment/predict/cell_prediction.h"

namespace sumac::experiment {

/// What a step of a cell's job takes with each number of workers that it may come to have.
struct StepTimes {
  std::map<int, autoscaling::TrueStep> by_workers;
  std::map<int, CellPrediction> predictions;  // likewise
  int threads = 1;                            // that a worker computes with
  std::size_t profile = 0;                    // which of the profiles it is by

  /// As SimulatedJob has it.
  double lateStep(int workers, double times) const;
};

/// By the planner's cost model with the first of `profiles` that is of the cell's network, and the
/// cell's links. `sizes` are numbers of workers >= 1. Fails as a prediction does, in one sentence.
Result<StepTimes> stepTimes(const Cell& cell, const std::set<int>& sizes,
                            const std::vector<JobProfile>& profiles);

}  // namespace sumac::experiment
