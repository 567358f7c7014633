#include "experiment/predict/cell_prediction.h"

#include <algorithm>
#include <utility>

#include "base/core/check.h"
#include "exchange/plan/job_plan.h"
#include "job/profile/profile_use.h"
#include "job/profile/subject.h"
#include "planner/exchange_cost/profiled_step.h"
#include "planner/exchange_cost/textbook.h"

#include "experiment/document/conditions.h"

namespace sumac::experiment {
namespace {

CellPrediction none(std::string why_not) {
  CellPrediction prediction;
  prediction.why_not = std::move(why_not);
  return prediction;
}

/// The profile of this job's network; else why the last one is not.
Result<const JobProfile*> profileOf(const job::TrainingJob& job, const model::Network& network,
                                    const std::vector<JobProfile>& profiles) {
  std::string why = "there is no profile";
  ProfileNeed need;
  need.subject = subjectOf(job, network);
  for (const JobProfile& profile : profiles) {
    why = whyNot(profile, need);
    if (why.empty()) return &profile;
  }
  return Error{ErrorCode::kNotFound, why};
}

planner::Surroundings surroundingsOf(const Cell& cell, const JobProfile& profile) {
  constexpr double kBits = 8;
  planner::Surroundings where;
  where.shared_cores = sharedCoresOf(profile.machine);
  where.is_emulated = cell.conditions.is_emulated;
  if (const auto& bits = cell.conditions.link_bits_per_second) {
    where.link_bytes_per_second = static_cast<double>(*bits) / kBits;
    where.link_burst_bytes = static_cast<double>(kLinkBurstBytes);
  }
  return where;
}

void compute(CellPrediction& prediction) {
  auto& [shape, where, seconds] = prediction.step;
  seconds = planner::stepTime(shape, prediction.costs, where).seconds();
  if (seconds > 0) prediction.batches_per_second = 1 / seconds;
}

CellPrediction predict(const Cell& cell, const std::vector<JobProfile>& profiles) {
  const int vocabulary = cell.job.data.generated ? cell.job.data.generated->vocabulary : 0;
  const auto plan = makeJobPlan(cell.job, vocabulary);
  if (!plan) return none(plan.error().message);
  const auto profile = profileOf(cell.job, plan->network, profiles);
  if (!profile) return none(profile.error().message);
  const bool is_encrypted = cell.job.transport == job::Transport::kCurve;
  const auto costs = planner::costsOf(**profile, is_encrypted ? "curve" : "tcp");
  if (!costs) return none(costs.error().message);
  CellPrediction prediction;
  prediction.costs = costs->costs;
  prediction.profile = static_cast<std::size_t>(*profile - profiles.data());
  // Emulated workers wait for what computing takes with all cores.
  const planner::MemberPlacement placement{.shares_cores = !cell.conditions.is_emulated,
                                           .vocabulary = vocabulary,
                                           .time_steps = planner::timeStepsOf(plan->network)};
  auto step = planner::profiledStep(cell.job, plan->exchange, **profile, prediction.costs.exchange,
                                    placement);
  if (!step) return none(step.error().message);
  // Emulated computing may take longer than what was profiled.
  if (cell.conditions.is_emulated)
    step->compute = step->compute.slowedDown(cell.conditions.slowdown);
  prediction.step = {*std::move(step), surroundingsOf(cell, **profile), 0};
  const auto& [shape, where, seconds] = prediction.step;
  prediction.textbook_seconds = planner::textbookSeconds(shape, prediction.costs, where);
  compute(prediction);
  return prediction;
}

}  // namespace

std::vector<CellPrediction> predictCells(const std::vector<Cell>& cells,
                                         const std::vector<JobProfile>& profiles) {
  std::vector<CellPrediction> predictions;
  predictions.reserve(cells.size());
  for (const Cell& cell : cells)
    predictions.push_back(predict(cell, profiles));
  return predictions;
}

Result<planner::CostFit> fitTo(const std::vector<MeasuredCell>& measured,
                               std::vector<CellPrediction>& predictions) {
  using planner::Coefficient;
  std::vector<planner::Observation> observations;
  planner::StepCosts start;
  for (const auto& [number, speed] : measured) {
    const CellPrediction& cell = predictions.at(static_cast<std::size_t>(number - 1));
    if (!cell.batches_per_second) continue;
    observations.push_back(cell.step);
    observations.back().seconds = 1 / speed;
    start = cell.costs;
  }
  auto fit =
      planner::fitCosts(observations, start,
                        {Coefficient::kStep, Coefficient::kCrowding, Coefficient::kExchangeFactor});
  if (!fit) return fit;
  for (CellPrediction& prediction : predictions) {
    if (!prediction.batches_per_second) continue;
    prediction.costs = fit->costs;
    compute(prediction);
  }
  for (const MeasuredCell& cell : measured)
    predictions.at(static_cast<std::size_t>(cell.number - 1)).is_fitted = true;
  return fit;
}

std::optional<double> predictedDuration(const Measurement& measurement, int repetitions,
                                        const std::vector<CellPrediction>& predictions) {
  double seconds = 0;
  for (const CellPrediction& prediction : predictions) {
    if (!prediction.batches_per_second) return std::nullopt;
    seconds += static_cast<double>(measurement.steps + measurement.warmup_steps) /
               *prediction.batches_per_second;
  }
  return repetitions * seconds;
}

}  // namespace sumac::experiment
