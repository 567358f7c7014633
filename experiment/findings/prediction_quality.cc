#include "experiment/findings/prediction_quality.h"

#include <algorithm>
#include <cstddef>

#include "base/core/check.h"

#include "experiment/findings/comparison.h"

namespace sumac::experiment {
namespace {

/// A cell that was measured and predicted.
struct Judged {
  const Cell* cell = nullptr;
  double measured = 0;   // seconds of a step
  double predicted = 0;  // likewise
};

std::optional<Judged> judgedOf(const Cell& cell, const CellSummary& summary) {
  if (!summary.predictionAccuracy() || summary.is_fitted) return std::nullopt;
  return Judged{&cell, 1 / summary.batches_per_second->mean,
                1 / *summary.predicted_batches_per_second};
}

/// Whether one may choose between them.
bool areAlternatives(const Cell& one, const Cell& other) {
  return isFair(one, other) &&
         one.conditions.link_bits_per_second == other.conditions.link_bits_per_second &&
         one.job.worker.replicas == other.job.worker.replicas &&
         one.job.training.batch_size == other.job.training.batch_size;
}

Choice choiceOf(const std::vector<Judged>& set) {
  const auto chosen = std::ranges::min_element(set, {}, &Judged::predicted);
  const auto best = std::ranges::min_element(set, {}, &Judged::measured);
  return {chosen->cell->number, best->cell->number, chosen->measured / best->measured - 1};
}

std::vector<Choice> choicesBetween(std::vector<Judged> left) {
  std::vector<Choice> choices;
  while (!left.empty()) {
    const Cell& first = *left.front().cell;
    std::vector<Judged> set;
    std::erase_if(left, [&](const Judged& one) {
      if (!areAlternatives(first, *one.cell)) return false;
      set.push_back(one);
      return true;
    });
    if (set.size() > 1) choices.push_back(choiceOf(set));
  }
  return choices;
}

}  // namespace

double PredictionQuality::meanRegret() const {
  if (choices.empty()) return 0;
  double sum = 0;
  for (const Choice& choice : choices)
    sum += choice.regret;
  return sum / static_cast<double>(choices.size());
}

const Choice& PredictionQuality::worstChoice() const {
  SUMAC_CHECK(!choices.empty());
  return *std::ranges::max_element(choices, {}, &Choice::regret);
}

PredictionQuality predictionQuality(const std::vector<Cell>& cells,
                                    const std::vector<CellSummary>& summaries) {
  SUMAC_CHECK(cells.size() == summaries.size(), cells.size(), summaries.size());
  PredictionQuality quality;
  std::vector<Judged> all;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto judged = judgedOf(cells[i], summaries[i]);
    if (!judged) continue;
    all.push_back(*judged);
    quality.accuracy += *summaries[i].predictionAccuracy();
    quality.textbook_accuracy += *summaries[i].textbookAccuracy();
  }
  if (all.empty()) return quality;
  const auto count = static_cast<double>(all.size());
  quality.cells = static_cast<int>(all.size());
  quality.accuracy /= count;
  quality.textbook_accuracy /= count;
  if (quality.textbook_accuracy < 1)
    quality.skill = 1 - (1 - quality.accuracy) / (1 - quality.textbook_accuracy);
  quality.choices = choicesBetween(std::move(all));
  return quality;
}

}  // namespace sumac::experiment
