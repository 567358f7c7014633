#include <algorithm>
#include <string>
#include <utility>

#include "base/core/units.h"

#include "experiment/findings/ranking.h"
#include "experiment/report/charts.h"
#include "experiment/report/sections.h"

namespace sumac::experiment {
namespace {

/// How many pairs of cells the predictions rank as they were measured; empty without pairs.
std::string rankingText(const Ranking& ranking) {
  constexpr std::size_t kMostNamed = 6;
  if (ranking.pairs == 0) return {};
  const std::size_t right = ranking.pairs - ranking.wrong.size();
  std::string text = "The predictions rank " + std::to_string(right) + " of " +
                     counted(static_cast<std::int64_t>(ranking.pairs), "pair") +
                     " of cells as they were measured";
  for (std::size_t i = 0; i < ranking.wrong.size() && i < kMostNamed; ++i) {
    const auto& [faster, slower] = ranking.wrong[i];
    text += (i == 0 ? "; wrong: cell " : "; cell ") + std::to_string(faster) +
            " was faster than cell " + std::to_string(slower);
  }
  if (ranking.wrong.size() > kMostNamed) {
    text += "; and " +
            counted(static_cast<std::int64_t>(ranking.wrong.size() - kMostNamed), "other pair");
  }
  return text + ".";
}

std::string notFittedText(const PredictionBasis& basis) {
  switch (basis.not_fitted) {
    case NotFitted::kNothing: break;
    case NotFitted::kNotMeasured:
      return "Not fitted: cell " + std::to_string(basis.cell) +
             " was not measured; these are the predictions of the profile alone.";
    case NotFitted::kNotTold:
      return "Not fitted: these cells do not tell the costs; nothing was fitted.";
    case NotFitted::kFreeBytes:
      return "Not fitted: by these cells a byte would take no time; take cells that exchange more.";
  }
  return {};
}

std::string fitText(const planner::CostFit& fit) {
  const planner::StepCosts& costs = fit.costs;
  std::string text = "Fitted costs: a step costs " + microsecondsText(costs.step) +
                     " us, computing takes " + percentText(costs.crowding, 1) +
                     " longer than profiled, a byte " + fixedText(costs.exchange_factor, 2) +
                     " times as long; errors of the fitted cells:";
  for (const double residual : fit.residuals)
    text += (residual < 0 ? " " : " +") + percentText(residual, 1);
  const std::string caveat = fit.caveat();
  return text + (caveat.empty() ? "" : "; " + caveat) + ".";
}

}  // namespace

std::vector<std::string> predictionNotes(const PredictionBasis& basis) {
  std::vector<std::string> notes;
  for (const std::string& profile : basis.disturbed)
    notes.push_back(profile + ".");
  for (const std::string& reason : basis.why_not)
    notes.push_back("Not predicted: " + reason + ".");
  if (std::string text = notFittedText(basis); !text.empty()) notes.push_back(std::move(text));
  if (basis.fit) notes.push_back(fitText(*basis.fit));
  return notes;
}

void addPredictions(const Findings& findings, const PredictionBasis& basis,
                    ExperimentReport& answer) {
  report::Section section{"Prediction beside measurement",
                          report::Audience::kAll,
                          {addPictures(predictionPictures(findings), answer.pictures)}};
  const auto say = [&section](std::string text) {
    if (!text.empty()) section.blocks.emplace_back(report::Paragraph{std::move(text)});
  };
  if (const auto accuracy = meanAccuracy(findings.summaries)) {
    const auto counts = [](const CellSummary& summary) {
      return summary.predictionAccuracy() && !summary.is_fitted;
    };
    say("Predictions are " + percentText(*accuracy, 1) + " accurate on average, over " +
        counted(std::ranges::count_if(findings.summaries, counts), "cell") +
        " that they were not fitted to: 1 - |predicted - measured| / measured.");
  }
  say(rankingText(rankingOf(findings.cells, findings.summaries)));
  for (std::string& note : predictionNotes(basis))
    say(std::move(note));
  if (section.blocks.size() > 1) answer.report.sections.push_back(std::move(section));
}

}  // namespace sumac::experiment
