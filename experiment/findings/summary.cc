#include "experiment/findings/summary.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "base/core/check.h"
#include "base/core/quantile.h"
#include "job/profile/disturbance.h"

#include "experiment/findings/comparison.h"

namespace sumac::experiment {
namespace {

/// Which axes set the number of workers.
std::vector<bool> workerAxes(const std::vector<Axis>& axes) {
  std::vector<bool> sets_workers;
  for (const Axis& axis : axes) {
    sets_workers.push_back(std::ranges::any_of(axis.values, [](const AxisValue& value) {
      return std::ranges::any_of(value.settings, [](const Setting& setting) {
        return setting.path.starts_with("spec.worker");
      });
    }));
  }
  return sets_workers;
}

/// The cell with one worker that `cell` is compared with; nothing where there is none.
std::optional<std::size_t> baselineOf(const Cell& cell, const std::vector<Cell>& cells,
                                      const std::vector<bool>& sets_workers) {
  const auto is_baseline = [&](const Cell& other) {
    if (other.job.worker.replicas != 1) return false;
    for (std::size_t i = 0; i < sets_workers.size(); ++i) {
      if (!sets_workers[i] && other.values[i] != cell.values[i]) return false;
    }
    return true;
  };
  const auto found = std::ranges::find_if(cells, is_baseline);
  if (found == cells.end()) return std::nullopt;
  return static_cast<std::size_t>(found - cells.begin());
}

/// The mean over the runs that tell it, member by member.
template <typename Value, typename Member>
std::optional<Value> meanOf(const std::vector<RunFigures>& runs,
                            std::optional<Value> RunFigures::*told,
                            std::initializer_list<Member> members) {
  Value sum;
  double count = 0;
  for (const RunFigures& run : runs) {
    if (!(run.*told)) continue;
    ++count;
    for (const Member member : members)
      sum.*member += *(run.*told).*member;
  }
  if (count == 0) return std::nullopt;
  for (const Member member : members)
    sum.*member /= count;
  return sum;
}

/// Whether the slowest run was less than half as fast as the median of the others.
bool hasOutlier(std::vector<double> speeds) {
  if (speeds.size() < 2) return false;
  const auto slowest = std::ranges::min_element(speeds);
  const double speed = *slowest;
  speeds.erase(slowest);
  return 2 * speed < median(speeds);
}

Score scoreOf(Metric metric) {
  SUMAC_CHECK(isOfLearning(metric), toString(metric));
  return metric == Metric::kValidationAccuracy ? Score::kValidAccuracy : Score::kValidPerplexity;
}

std::map<Score, Estimate> learnedIn(const std::vector<RunFigures>& runs) {
  std::map<Score, Estimate> learned;
  for (const Score score : kScores) {
    std::vector<double> values;
    for (const RunFigures& run : runs) {
      const auto& scores = run.learned.scores;
      if (const auto told = scores.find(score); told != scores.end())
        values.push_back(told->second);
    }
    if (!values.empty()) learned[score] = estimate(values);
  }
  return learned;
}

double accuracyOf(double predicted, double measured) {
  return 1 - std::abs(predicted - measured) / measured;
}

std::optional<ComputingSpread> spreadOf(const std::vector<RunFigures>& runs) {
  std::optional<ComputingSpread> all;
  for (const RunFigures& run : runs) {
    if (!run.computing || run.computing->median <= 0) continue;
    const EmulatedComputing& one = *run.computing;
    if (!all) all = {one.median, one.median, 0, 0};
    all = {std::min(all->least, one.median), std::max(all->most, one.median),
           std::max(all->spread, one.spread()), std::max(all->waited, one.waited)};
  }
  return all;
}

CellSummary summarizeRuns(const Cell& cell, const CellOutcome& outcome) {
  CellSummary summary;
  summary.failure = outcome.failure;
  summary.predicted_batches_per_second = outcome.predicted_batches_per_second;
  summary.textbook_seconds = outcome.textbook_seconds;
  summary.is_fitted = outcome.is_fitted;
  if (outcome.runs.empty()) return summary;
  std::vector<double> batches;
  std::vector<double> samples;
  RunFigures all;
  for (const RunFigures& run : outcome.runs) {
    if (run.scale) {
      for (const ScaleChange& change : run.scale->changes)
        summary.change_seconds.push_back(change.cost_seconds);
    }
    batches.push_back(run.batchesPerSecond());
    samples.push_back(batches.back() * static_cast<double>(cell.job.training.batch_size));
    all.step_seconds.insert(all.step_seconds.end(), run.step_seconds.begin(),
                            run.step_seconds.end());
  }
  summary.lacking_cores = mostLacking(outcome.runs);
  summary.batches_per_second = estimate(batches);
  summary.samples_per_second = estimate(samples);
  summary.has_outlier = hasOutlier(batches);
  summary.median_step_seconds = all.medianStepSeconds();
  summary.computing = spreadOf(outcome.runs);
  summary.learned = learnedIn(outcome.runs);
  summary.phases = meanOf(outcome.runs, &RunFigures::phases,
                          {&StepPhases::gradient_seconds, &StepPhases::update_seconds,
                           &StepPhases::sum_wait_seconds, &StepPhases::data_wait_seconds});
  summary.bytes =
      meanOf(outcome.runs, &RunFigures::bytes, {&StepBytes::sent, &StepBytes::received});
  return summary;
}

}  // namespace

std::optional<double> valueOf(Metric metric, const RunFigures& run) {
  if (!isOfLearning(metric)) return run.batchesPerSecond();
  const auto& scores = run.learned.scores;
  const auto told = scores.find(scoreOf(metric));
  return told == scores.end() ? std::nullopt : std::optional(told->second);
}

bool hasRuns(const std::vector<CellOutcome>& outcomes) {
  return std::ranges::any_of(outcomes,
                             [](const CellOutcome& outcome) { return !outcome.runs.empty(); });
}

std::int64_t failedCells(const std::vector<CellOutcome>& outcomes) {
  return std::ranges::count_if(outcomes,
                               [](const CellOutcome& outcome) { return !outcome.failure.empty(); });
}

bool ComputingSpread::isDisturbed() const {
  return std::max({spread, waited, betweenRuns()}) > kTrustedSpread;
}

std::optional<double> mostLacking(const std::vector<RunFigures>& runs) {
  std::optional<double> most;
  for (const RunFigures& run : runs)
    most = std::max(most, run.lacking_cores);
  return most;
}

std::optional<Estimate> CellSummary::measured(Metric metric) const {
  if (!isOfLearning(metric)) return samples_per_second;
  const auto told = learned.find(scoreOf(metric));
  return told == learned.end() ? std::nullopt : std::optional(told->second);
}

std::optional<double> CellSummary::predictionAccuracy() const {
  if (!predicted_batches_per_second || !batches_per_second || batches_per_second->mean <= 0)
    return std::nullopt;
  return accuracyOf(1 / *predicted_batches_per_second, 1 / batches_per_second->mean);
}

std::optional<double> CellSummary::textbookAccuracy() const {
  if (!predictionAccuracy()) return std::nullopt;
  return accuracyOf(textbook_seconds, 1 / batches_per_second->mean);
}

std::optional<double> CellSummary::predictedSamplesPerSecond(const Cell& cell) const {
  if (!predicted_batches_per_second) return std::nullopt;
  return *predicted_batches_per_second * static_cast<double>(cell.job.training.batch_size);
}

std::vector<CellSummary> summarize(const Experiment& experiment, const std::vector<Cell>& cells,
                                   const std::vector<CellOutcome>& outcomes) {
  SUMAC_CHECK(cells.size() == outcomes.size(), cells.size(), outcomes.size());
  std::vector<CellSummary> summaries;
  for (std::size_t i = 0; i < cells.size(); ++i)
    summaries.push_back(summarizeRuns(cells[i], outcomes[i]));
  const std::vector<bool> sets_workers = workerAxes(experiment.axes);
  if (std::ranges::count(sets_workers, true) == 0) return summaries;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto baseline = baselineOf(cells[i], cells, sets_workers);
    if (!baseline) continue;
    const auto& speed = summaries[i].samples_per_second;
    const auto& alone = summaries[*baseline].samples_per_second;
    if (!speed || !alone) continue;
    summaries[i].speedup = speed->mean / alone->mean;
    summaries[i].has_idle_base = exchangesNothing(experiment, cells[*baseline]);
    const auto share = speed->relativeHalfWidth();
    const auto share_alone = alone->relativeHalfWidth();
    if (share && share_alone && *baseline != i)
      summaries[i].speedup_half_width = *summaries[i].speedup * std::hypot(*share, *share_alone);
    summaries[i].efficiency = *summaries[i].speedup / cells[i].job.worker.replicas;
  }
  return summaries;
}

}  // namespace sumac::experiment
