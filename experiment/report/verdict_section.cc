#include <algorithm>
#include <string>

#include "base/core/rounded.h"
#include "base/core/units.h"

#include "experiment/findings/axes.h"
#include "experiment/report/labels.h"
#include "experiment/report/sections.h"

namespace sumac::experiment {
namespace {

/// With the digits with which 1 is seen to lie outside of the ratio's interval.
std::string ratioText(double value, const Ratio& ratio) {
  constexpr double kClose = 1.01;
  constexpr double kTenth = 0.1;
  constexpr double kTens = 10;
  constexpr double kSmallest = 1e-4;  // beyond these nobody asks for figures
  constexpr double kLargest = 1e4;
  if (value < kSmallest) return "< 0.0001";
  if (value > kLargest) return "> 10,000";
  if (ratio.low > 1 && ratio.low < kClose) return fixedText(value, 4);
  return value < kTenth || value >= kTens ? digitsText(value) : fixedText(value, 2);
}

/// The value that makes a cell differ, with its number of workers, where that differs as well.
std::string nameIn(const Comparison& pair, const Cell& cell, const Experiment& experiment) {
  std::string name = valueText(experiment.axes, pair.axis, cell.values[pair.axis]);
  if (workerAxis(experiment.axes) != pair.axis && experiment.scale.empty() &&
      pair.first->job.worker.replicas != pair.second->job.worker.replicas)
    name += " (" + counted(cell.job.worker.replicas, "worker") + ")";
  return name;
}

/// What the cells of a pair have in common.
std::string commonText(const Comparison& pair, const Experiment& experiment) {
  return cellText(experiment.axes, *pair.first, {pair.axis});
}

bool hasCommon(const Experiment& experiment) {
  return variedAxes(experiment.axes) > 1;
}

std::string markOf(const Comparison& pair, const Experiment& experiment) {
  std::string mark = pair.first->conditions.is_emulated ? "emulated" : "";
  if (!pair.is_idle) return mark;
  for (const Cell* const cell : {pair.first, pair.second}) {
    if (exchangesNothing(experiment, *cell))
      mark += (mark.empty() ? "" : ", ") + std::to_string(cell->number) + " exchanges nothing";
  }
  return mark;
}

/// "1.58 times the samples a second of", "1.12 times lower validation perplexity than".
std::string advantageText(const Comparison& pair, Metric metric) {
  const std::string phrase(phraseOf(metric));
  return ratioText(pair.ratio.value, pair.ratio) + " times " +
         (isLowerBetter(metric) ? "lower " + phrase + " than" : "the " + phrase + " of");
}

/// "ring: 1.58 times the samples a second of server, with 1 worker"; with what both have learned.
std::string pairText(const Comparison& pair, const Experiment& experiment) {
  const Metric metric = experiment.measurement.metric;
  const std::string means = " (" + measuredText(metric, pair.first_mean) + " and " +
                            measuredText(metric, pair.second_mean) + ")";
  return nameIn(pair, *pair.first, experiment) + ": " + advantageText(pair, metric) + " " +
         nameIn(pair, *pair.second, experiment) + (isOfLearning(metric) ? means : "") +
         (hasCommon(experiment) ? ", with " + commonText(pair, experiment) : "") +
         (pair.first->conditions.is_emulated ? " (emulated)" : "");
}

std::string intervalText(const Ratio& ratio) {
  return ratioText(ratio.low, ratio) + " to " + ratioText(ratio.high, ratio);
}

/// How many runs would tell, and the pair that comes closest.
std::string nullText(const Experiment& experiment, const Verdict& verdict) {
  const Comparison& pair = verdict.not_significant.front();
  const bool is_one = verdict.not_significant.size() == 1;
  return (is_one ? std::string("Not significant")
                 : "None of " + counted(std::ssize(verdict.not_significant), "pair") +
                       " of cells differs significantly") +
         " with " + counted(verdict.runs, "run") + " a cell; " +
         (verdict.enough_runs ? "about " + groupedText(*verdict.enough_runs)
                              : "more than " + groupedText(Verdict::kMostTimes * verdict.runs)) +
         " would be needed. " + (is_one ? "" : "The closest is ") + pairText(pair, experiment) +
         " (95 % interval " + intervalText(pair.ratio) + ").";
}

/// An accuracy of 0 has no ratio to another one.
std::string noTwoRunsText(Metric metric) {
  const std::string text = "No two cells to compare have two runs each";
  return text +
         (isOfLearning(metric) ? " and a " + std::string(phraseOf(metric)) + " above 0." : ".");
}

std::string sentenceOf(const Findings& findings, const Verdict& verdict) {
  const Experiment& experiment = findings.experiment;
  const auto cells = std::ssize(findings.cells);
  switch (verdict.outcome) {
    case Outcome::kNothingRan: return "No run has ended yet.";
    case Outcome::kAllFailed: return counted(cells, "cell") + " failed: nothing was measured.";
    case Outcome::kOneCell: return "There is one cell: nothing to compare it with.";
    case Outcome::kOneRunEach:
      return "One run a cell says nothing of the spread; raise spec.repetitions.";
    case Outcome::kNoPairs: return "No two cells differ in one axis only: nothing can be compared.";
    case Outcome::kNoTwoRuns: return noTwoRunsText(experiment.measurement.metric);
    case Outcome::kNoneDiffers: return nullText(experiment, verdict);
    case Outcome::kSomeDiffer: break;
  }
  const auto differing = std::ssize(verdict.significant);
  return pairText(verdict.significant.front(), experiment) + "; " + std::to_string(differing) +
         " of " + counted(static_cast<std::int64_t>(verdict.pairs), "pair") + " of cells " +
         (differing == 1 ? "differs" : "differ") + " significantly.";
}

/// What was compared and how.
std::string basisOf(const Experiment& experiment, const Verdict& verdict) {
  const std::size_t compared = verdict.significant.size() + verdict.not_significant.size();
  if (compared == 0) return {};
  std::string text = counted(static_cast<std::int64_t>(verdict.pairs), "pair") +
                     " of cells that differ in one axis";
  if (compared < verdict.pairs) {
    text +=
        ", " + std::to_string(compared) + " of them compared: of the others a cell has no two runs";
  }
  if (verdict.pairs > 1)
    text += "; the intervals are widened (Bonferroni) so that all of them hold together with 95 %";
  if (experiment.measurement.stop)
    text += "; cells end once their interval is narrow, which makes intervals a little too narrow";
  return text + ".";
}

/// "3 changes of the number of workers cost 0.30 s to 0.67 s each."; empty without any.
std::string changesText(const std::vector<CellSummary>& summaries) {
  std::vector<double> costs;
  for (const CellSummary& summary : summaries)
    costs.insert(costs.end(), summary.change_seconds.begin(), summary.change_seconds.end());
  if (costs.empty()) return {};
  const auto [least, most] = std::ranges::minmax(costs);
  const std::string low = fixedText(least, 2) + " s";
  const std::string high = fixedText(most, 2) + " s";
  return counted(std::ssize(costs), "change") + " of the number of workers cost " +
         (low == high ? low : low + " to " + high) + (costs.size() > 1 ? " each." : ".");
}

}  // namespace

report::Findings verdictSentences(const Findings& findings, const Verdict& verdict) {
  report::Findings sentences{{}, basisOf(findings.experiment, verdict)};
  if (std::string changes = changesText(findings.summaries); !changes.empty())
    sentences.sentences.push_back(std::move(changes));
  sentences.sentences.push_back(sentenceOf(findings, verdict));
  return sentences;
}

report::Table pairTable(const Findings& findings, const std::vector<Comparison>& pairs) {
  constexpr std::size_t kMostPairs = 5;
  const Experiment& experiment = findings.experiment;
  const Metric metric = experiment.measurement.metric;
  const bool is_of_speed = !isOfLearning(metric);
  report::Table table{.caption = "Ratios of " + std::string(phraseOf(metric)),
                      .columns = {is_of_speed ? report::Column{"faster", "Faster"}
                                              : report::Column{"better", "Better"},
                                  is_of_speed ? report::Column{"slower", "Slower"}
                                              : report::Column{"worse", "Worse"},
                                  {"", "With"},
                                  {"ratio", "Ratio", "", report::ColumnKind::kNumber},
                                  {"low95", ""},
                                  {"high95", ""},
                                  {"", "95 % interval", "", report::ColumnKind::kNumber},
                                  {"", "Cells"}},
                      .most_rows = kMostPairs,
                      .noun = "pair"};
  for (const Comparison& pair : pairs) {
    const auto& [value, low, high] = pair.ratio;
    table.rows.push_back(
        {{nameIn(pair, *pair.first, experiment), pair.first->number},
         {nameIn(pair, *pair.second, experiment), pair.second->number},
         {hasCommon(experiment) ? commonText(pair, experiment) : ""},
         {ratioText(value, pair.ratio), rounded(value)},
         {.value = rounded(low)},
         {.value = rounded(high)},
         {intervalText(pair.ratio)},
         {.text = std::to_string(pair.first->number) + " / " + std::to_string(pair.second->number),
          .mark = markOf(pair, experiment)}});
  }
  if (!hasCommon(experiment)) {
    table.columns.erase(table.columns.begin() + 2);
    for (auto& row : table.rows)
      row.erase(row.begin() + 2);
  }
  return table;
}

}  // namespace sumac::experiment
