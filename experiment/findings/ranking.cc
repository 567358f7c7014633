#include "experiment/findings/ranking.h"

#include <optional>

#include "base/core/check.h"

#include "experiment/findings/comparison.h"

namespace sumac::experiment {
namespace {

/// A cell whose order among others was measured and predicted.
struct Ranked {
  const Cell* cell = nullptr;
  double low = 0;  // of samples a second, with 95 %
  double high = 0;
  double predicted = 0;
};

std::optional<Ranked> rankedOf(const Cell& cell, const CellSummary& summary) {
  const auto predicted = summary.predictedSamplesPerSecond(cell);
  const auto& speed = summary.samples_per_second;
  if (!predicted || summary.is_fitted || !speed || !speed->half_width) return std::nullopt;
  return Ranked{&cell, speed->mean - *speed->half_width, speed->mean + *speed->half_width,
                *predicted};
}

bool areComparable(const Cell& one, const Cell& other) {
  return isFair(one, other) &&
         one.conditions.link_bits_per_second == other.conditions.link_bits_per_second;
}

}  // namespace

Ranking rankingOf(const std::vector<Cell>& cells, const std::vector<CellSummary>& summaries) {
  SUMAC_CHECK(cells.size() == summaries.size(), cells.size(), summaries.size());
  std::vector<Ranked> all;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (const auto ranked = rankedOf(cells[i], summaries[i])) all.push_back(*ranked);
  }
  Ranking ranking;
  for (const Ranked& fast : all) {
    for (const Ranked& slow : all) {
      if (!(fast.low > slow.high) || !areComparable(*fast.cell, *slow.cell)) continue;
      ++ranking.pairs;
      if (!(fast.predicted > slow.predicted))
        ranking.wrong.emplace_back(fast.cell->number, slow.cell->number);
    }
  }
  return ranking;
}

}  // namespace sumac::experiment
