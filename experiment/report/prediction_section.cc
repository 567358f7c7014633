#include <algorithm>
#include <string>
#include <utility>

#include "base/core/units.h"

#include "experiment/findings/prediction_quality.h"
#include "experiment/report/charts.h"
#include "experiment/report/sections.h"

namespace sumac::experiment {
namespace {

std::string accuracyText(const PredictionQuality& quality) {
  std::string text = "Predictions of a step's time are " + percentText(quality.accuracy, 1) +
                     " accurate on average, over " + counted(quality.cells, "cell") +
                     " that they were not fitted to: 1 - |predicted - measured| / measured. The "
                     "textbook's formulas, computing and then the bytes on the busiest link, are " +
                     percentText(quality.textbook_accuracy, 1) + " accurate";
  if (quality.skill)
    text += ": a skill of " + fixedText(*quality.skill, 2) + " (1: no error, 0: the textbook's)";
  return text + ".";
}

/// What it costs to take the cells that are predicted to be fastest; empty without choices.
std::string regretText(const PredictionQuality& quality) {
  if (quality.choices.empty()) return {};
  const Choice& worst = quality.worstChoice();
  const std::string over =
      counted(std::ssize(quality.choices), "choice") +
      " between cells of as many workers and the same network, mini-batch and link";
  if (worst.regret <= 0) return "The predictions choose the fastest cell in " + over + ".";
  return "The cells that are predicted to be fastest take up to " + percentText(worst.regret, 1) +
         " longer than the fastest, " + percentText(quality.meanRegret(), 1) +
         " on average, over " + over + "; the worst: cell " + std::to_string(worst.chosen) +
         " was chosen, cell " + std::to_string(worst.best) + " was faster.";
}

/// Of emulated computing, what these figures do not say.
std::string emulatedText(const std::vector<Cell>& cells) {
  const bool is_by_profile =
      std::ranges::any_of(cells, [](const Cell& cell) { return !cell.conditions.profile.empty(); });
  if (!is_by_profile) return {};
  return "Emulated computing takes what the profile says: there the predictions are of exchanges.";
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
  const PredictionQuality quality = predictionQuality(findings.cells, findings.summaries);
  if (quality.cells > 0) {
    say(accuracyText(quality));
    say(regretText(quality));
    say(emulatedText(findings.cells));
  }
  for (std::string& note : predictionNotes(basis))
    say(std::move(note));
  if (section.blocks.size() > 1) answer.report.sections.push_back(std::move(section));
}

}  // namespace sumac::experiment
