#include "experiment/report/verdict.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/core/check.h"
#include "base/core/units.h"

#include "experiment/measure/statistics.h"
#include "experiment/report/comparison.h"
#include "experiment/report/labels.h"
#include "experiment/report/wording.h"

namespace sumac::experiment {
namespace {

constexpr double kError = 0.05;  // of all intervals together
constexpr std::size_t kMostSentences = 5;

/// How much there is to compare.
struct Measured {
  int most_runs = 0;  // of a cell
  std::size_t cells = 0;
  std::size_t failed = 0;  // and have no run
};

Measured measuredOf(const std::vector<CellSummary>& summaries) {
  Measured measured;
  for (const CellSummary& summary : summaries) {
    if (!summary.batches_per_second) {
      if (!summary.failure.empty()) ++measured.failed;
      continue;
    }
    measured.most_runs = std::max(measured.most_runs, summary.batches_per_second->count);
    ++measured.cells;
  }
  return measured;
}

/// Why nothing can be compared; empty where something can.
std::string silence(const Measured& measured, std::size_t cells, std::size_t pairs) {
  if (measured.cells == 0) {
    if (measured.failed < cells) return "No run has ended yet: there is nothing to compare.";
    return cells == 1 ? "The only cell failed: nothing was measured."
                      : "All " + std::to_string(cells) + " cells failed: nothing was measured.";
  }
  if (measured.most_runs < 2) return "One run each: nothing can be said of the spread.";
  if (cells == 1) return "There is one cell: nothing to compare it with.";
  if (pairs == 0) return "No two cells differ in one axis only: nothing can be compared.";
  return {};
}

/// The ratio of a pair, the faster cell first where that can be told.
bool compare(Comparison& pair, const Estimate& first, const Estimate& second, double error) {
  const auto ratio = ratioOf(first, second, error);
  if (!ratio) return false;
  pair.ratio = *ratio;
  if (ratio->high >= 1) return true;
  std::swap(pair.first, pair.second);
  pair.ratio = {1 / ratio->value, 1 / ratio->high, 1 / ratio->low};
  return true;
}

using RivalsByValues = std::map<std::tuple<std::size_t, std::string, std::string>, Rivals>;

/// Puts a comparison to those of the same two values.
void sortIn(RivalsByValues& all, const Comparison& comparison, const Cell& first_of_document) {
  const Cell& other =
      comparison.first == &first_of_document ? *comparison.second : *comparison.first;
  Rivals& rivals = all[{comparison.axis, first_of_document.values[comparison.axis],
                        other.values[comparison.axis]}];
  if (!comparison.isTold()) {
    rivals.untold.push_back(comparison);
  } else if (comparison.first == &first_of_document) {
    rivals.ahead.push_back(comparison);
  } else {
    rivals.behind.push_back(comparison);
  }
}

std::string basisOf(const Experiment& experiment, std::size_t pairs, std::size_t compared) {
  std::string text = counted(static_cast<std::int64_t>(pairs), "pair") +
                     " of cells that differ in one axis can be compared";
  if (compared < pairs) {
    text += ", " + std::to_string(compared) +
            (compared == 1 ? " was: of the others" : " were: of the others") +
            " a cell has no two runs";
  }
  text +=
      pairs == 1 ? "." : ". The intervals are widened so that all of them hold together with 95 %.";
  if (experiment.measurement.stop) {
    text +=
        " Cells end as soon as their interval is narrow: that makes intervals a little too "
        "narrow.";
  }
  return text;
}

/// "3 restarts with another number of workers cost 0.30 s to 0.67 s each."; empty without any.
std::string restartsText(const std::vector<CellSummary>& summaries) {
  std::vector<double> costs;
  for (const CellSummary& summary : summaries)
    costs.insert(costs.end(), summary.restart_seconds.begin(), summary.restart_seconds.end());
  if (costs.empty()) return {};
  const auto [least, most] = std::ranges::minmax(costs);
  const std::string low = fixedText(least, 2) + " s";
  const std::string high = fixedText(most, 2) + " s";
  return counted(std::ssize(costs), "restart") + " with another number of workers cost " +
         (low == high ? low : low + " to " + high) + (costs.size() > 1 ? " each." : ".");
}

/// What the comparison of cells says.
Verdict comparisonOf(const Experiment& experiment, const std::vector<Cell>& cells,
                     const std::vector<CellSummary>& summaries) {
  const std::vector<Comparison> pairs = pairsOf(experiment, cells);
  const std::string nothing = silence(measuredOf(summaries), cells.size(), pairs.size());
  if (!nothing.empty()) return {{nothing}, ""};
  const double error = kError / static_cast<double>(pairs.size());
  const auto speedOf = [&](const Cell& cell) -> const std::optional<Estimate>& {
    return summaries[static_cast<std::size_t>(&cell - cells.data())].samples_per_second;
  };
  RivalsByValues rivals;
  std::size_t compared = 0;
  for (Comparison pair : pairs) {
    const Cell& first = *pair.first;
    const auto& speed = speedOf(first);
    const auto& other = speedOf(*pair.second);
    if (!speed || !other || !compare(pair, *speed, *other, error)) continue;
    ++compared;
    sortIn(rivals, pair, first);
  }
  if (rivals.empty()) return {{"No two cells to compare have two runs each."}, ""};
  Wording wording(experiment);
  for (const auto& [values, those] : rivals)
    wording.add(those);
  const bool is_cut = wording.count() > kMostSentences;
  Verdict verdict{wording.take(kMostSentences), basisOf(experiment, pairs.size(), compared)};
  if (is_cut) verdict.basis += " These are the strongest findings; the table has all figures.";
  return verdict;
}

}  // namespace

Verdict verdictOf(const Experiment& experiment, const std::vector<Cell>& cells,
                  const std::vector<CellSummary>& summaries) {
  SUMAC_CHECK(cells.size() == summaries.size(), cells.size(), summaries.size());
  Verdict verdict = comparisonOf(experiment, cells, summaries);
  if (std::string restarts = restartsText(summaries); !restarts.empty())
    verdict.sentences.insert(verdict.sentences.begin(), std::move(restarts));
  return verdict;
}

std::string toText(const Verdict& verdict) {
  std::string text;
  for (const std::string& sentence : verdict.sentences)
    text += sentence + "\n";
  return verdict.basis.empty() ? text : text + verdict.basis + "\n";
}

}  // namespace sumac::experiment
