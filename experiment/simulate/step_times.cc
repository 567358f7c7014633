#include "experiment/simulate/step_times.h"

#include <cstddef>
#include <string>

#include "planner/exchange_cost/step_time.h"

namespace sumac::experiment {

double StepTimes::lateStep(int workers, double times) const {
  const CellPrediction& prediction = predictions.at(workers);
  const auto& [shape, where, seconds] = prediction.step;
  return planner::lateStepSeconds(shape, prediction.costs, where, times);
}

Result<StepTimes> stepTimes(const Cell& cell, const std::set<int>& sizes,
                            const std::vector<JobProfile>& profiles) {
  std::vector<Cell> sized;
  for (const int workers : sizes) {
    Cell& one = sized.emplace_back();
    one.job = cell.job;
    one.job.worker.replicas = workers;
    one.conditions = cell.conditions;
  }
  const auto predictions = predictCells(sized, profiles);
  StepTimes times;
  for (std::size_t i = 0; i < sized.size(); ++i) {
    const CellPrediction& prediction = predictions[i];
    const int workers = sized[i].job.worker.replicas;
    if (!prediction.batches_per_second) {
      return Error{ErrorCode::kNotFound,
                   "with " + std::to_string(workers) + " workers: " + prediction.why_not};
    }
    const auto& [shape, where, seconds] = prediction.step;
    const planner::StepTime step = planner::stepTime(shape, prediction.costs, where);
    times.by_workers[workers] = {step.seconds(), step.forward + step.backward + step.update};
    times.predictions[workers] = prediction;
    times.threads = shape.compute.threads;
    times.profile = prediction.profile;
  }
  return times;
}

}  // namespace sumac::experiment
