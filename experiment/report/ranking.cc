#include "experiment/report/ranking.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "base/core/check.h"
#include "base/core/units.h"

#include "experiment/report/comparison.h"

namespace sumac::experiment {
namespace {

constexpr std::size_t kMostNamed = 6;

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

/// "all", "none", "3"; of a single one "it" or "it not".
std::string shareText(std::size_t right, std::size_t all) {
  if (all == 1) return right == 1 ? "it" : "it not";
  if (right == 0) return "none";
  return right == all ? "all" : std::to_string(right);
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

std::string toText(const Ranking& ranking) {
  if (ranking.pairs == 0) return {};
  const auto& [pairs, wrong] = ranking;
  std::string text = "Of " + counted(static_cast<std::int64_t>(pairs), "pair") +
                     " of cells with the same network, link and computing whose intervals do not "
                     "overlap, the predictions put " +
                     shareText(pairs - wrong.size(), pairs) + " in the order that was measured";
  for (std::size_t i = 0; i < wrong.size() && i < kMostNamed; ++i) {
    text += (i == 0 ? "; wrong: cell " : "; cell ") + std::to_string(wrong[i].first) +
            " was faster than cell " + std::to_string(wrong[i].second);
  }
  if (wrong.size() > kMostNamed)
    text += "; and " + counted(static_cast<std::int64_t>(wrong.size() - kMostNamed), "other pair");
  return text + ".";
}

nlohmann::ordered_json toJson(const Ranking& ranking) {
  nlohmann::ordered_json json;
  if (ranking.pairs == 0) return json;
  json = {{"pairs", ranking.pairs}, {"right", ranking.pairs - ranking.wrong.size()}};
  json["wrong"] = nlohmann::ordered_json::array();
  for (const auto& [faster, slower] : ranking.wrong)
    json["wrong"].push_back({{"faster", faster}, {"slower", slower}});
  return json;
}

}  // namespace sumac::experiment
