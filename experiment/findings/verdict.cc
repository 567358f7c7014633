#include "experiment/findings/verdict.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "base/core/check.h"

#include "experiment/findings/axes.h"
#include "experiment/measure/statistics.h"

namespace sumac::experiment {
namespace {

constexpr double kError = 0.05;  // of all intervals together

/// Why nothing can be compared, as far as that is known before; kNoneDiffers: something can.
Outcome outcomeBefore(const std::vector<CellSummary>& summaries, std::size_t pairs, int most_runs) {
  if (most_runs == 0) {
    const bool have_failed = std::ranges::none_of(
        summaries, [](const CellSummary& summary) { return summary.failure.empty(); });
    return have_failed ? Outcome::kAllFailed : Outcome::kNothingRan;
  }
  if (most_runs == 1) return Outcome::kOneRunEach;
  if (summaries.size() == 1) return Outcome::kOneCell;
  return pairs == 0 ? Outcome::kNoPairs : Outcome::kNoneDiffers;
}

/// How many times better `first` is than `second`; nothing where that is not known.
std::optional<Ratio> advantageOf(Metric metric, const std::optional<Estimate>& first,
                                 const std::optional<Estimate>& second, double error) {
  if (!first || !second) return std::nullopt;
  return isLowerBetter(metric) ? ratioOf(*second, *first, error) : ratioOf(*first, *second, error);
}

/// The ratio of a pair, the better cell first.
bool compare(Metric metric, Comparison& pair, const std::optional<Estimate>& first,
             const std::optional<Estimate>& second, double error) {
  const auto ratio = advantageOf(metric, first, second, error);
  if (!ratio) return false;
  pair.ratio = *ratio;
  pair.first_mean = first->mean;
  pair.second_mean = second->mean;
  if (ratio->value >= 1) return true;
  std::swap(pair.first, pair.second);
  std::swap(pair.first_mean, pair.second_mean);
  pair.ratio = {1 / ratio->value, 1 / ratio->high, 1 / ratio->low};
  return true;
}

bool isOfLinks(const Comparison& pair) {
  return pair.first->conditions.link_bits_per_second !=
         pair.second->conditions.link_bits_per_second;
}

/// How many times as many runs make an interval narrow enough, if the ratio is what it seems.
double runsTimes(const Comparison& pair) {
  const double distance = std::log(pair.ratio.value);
  if (!(distance > 0)) return std::numeric_limits<double>::infinity();
  return std::pow(std::log(pair.ratio.high / pair.ratio.low) / 2 / distance, 2);
}

}  // namespace

Verdict verdictOf(const Experiment& experiment, const std::vector<Cell>& cells,
                  const std::vector<CellSummary>& summaries) {
  SUMAC_CHECK(cells.size() == summaries.size(), cells.size(), summaries.size());
  std::vector<Comparison> pairs = pairsOf(experiment, cells);
  Verdict verdict;
  verdict.pairs = pairs.size();
  for (const CellSummary& summary : summaries) {
    if (summary.batches_per_second)
      verdict.runs = std::max(verdict.runs, summary.batches_per_second->count);
  }
  verdict.outcome = outcomeBefore(summaries, pairs.size(), verdict.runs);
  if (verdict.outcome != Outcome::kNoneDiffers) return verdict;
  const double error = kError / static_cast<double>(pairs.size());
  const Metric metric = experiment.measurement.metric;
  const auto measuredOf = [&](const Cell* cell) {
    return summaries[static_cast<std::size_t>(cell - cells.data())].measured(metric);
  };
  for (Comparison& pair : pairs) {
    if (!compare(metric, pair, measuredOf(pair.first), measuredOf(pair.second), error)) continue;
    (pair.isSignificant() ? verdict.significant : verdict.not_significant).push_back(pair);
  }
  const auto workers = workerAxis(experiment.axes);
  std::ranges::stable_sort(verdict.significant, {}, [workers](const Comparison& pair) {
    return std::tuple(pair.is_idle, isOfLinks(pair), workers == pair.axis, -pair.strength());
  });
  std::ranges::stable_sort(verdict.not_significant, {}, runsTimes);
  if (!verdict.significant.empty()) {
    verdict.outcome = Outcome::kSomeDiffer;
  } else if (verdict.not_significant.empty()) {
    verdict.outcome = Outcome::kNoTwoRuns;
  } else if (runsTimes(verdict.not_significant.front()) <= Verdict::kMostTimes) {
    const double runs = verdict.runs * runsTimes(verdict.not_significant.front());
    verdict.enough_runs = std::max(verdict.runs + 1, static_cast<int>(std::ceil(runs)));
  }
  return verdict;
}

}  // namespace sumac::experiment
