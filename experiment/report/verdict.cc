#include "experiment/report/verdict.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "common/base/check.h"
#include "common/base/text.h"

#include "experiment/measure/statistics.h"
#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

constexpr double kError = 0.05;  // of all intervals together
constexpr std::size_t kMostSentences = 5;

/// Two cells that differ in one axis. Where a difference can be told, the first is ahead.
struct Comparison {
  std::size_t axis = 0;
  const Cell* first = nullptr;
  const Cell* second = nullptr;
  Ratio ratio{};  // first over second

  bool isTold() const { return ratio.low > 1; }
  double strength() const { return std::log(ratio.low); }  // of what is told
  double width() const { return ratio.high / ratio.low; }
};

/// The digits after the point with which 1 is seen to lie outside of an interval.
int digitsOf(const Ratio& ratio) {
  constexpr double kManyTimes = 10;
  constexpr double kClose = 1.01;
  if (ratio.low >= kManyTimes) return 1;
  return ratio.low > 1 && ratio.low < kClose ? 4 : 2;
}

/// The ends of an interval, rounded away from its middle.
std::string rangeText(const Ratio& ratio) {
  const int digits = digitsOf(ratio);
  const double scale = std::pow(10.0, digits);
  constexpr double kSlack = 1e-9;  // 1.7 must not become 1.69
  return fixedText(std::floor(ratio.low * scale + kSlack) / scale, digits) + " to " +
         fixedText(std::ceil(ratio.high * scale - kSlack) / scale, digits);
}

/// The only axis in which two cells differ.
std::optional<std::size_t> differenceOf(const Cell& first, const Cell& second) {
  std::optional<std::size_t> axis;
  for (std::size_t i = 0; i < first.values.size(); ++i) {
    if (first.values[i] == second.values[i]) continue;
    if (axis) return std::nullopt;
    axis = i;
  }
  return axis;
}

/// All pairs of cells that are compared, whatever was measured of them: how many they are must not
/// depend on what came out.
class Pairs {
 public:
  Pairs(const Experiment& experiment, const std::vector<Cell>& cells)
      : workers_(workerAxis(experiment.axes)) {
    for (const Cell& cell : cells) {
      fewest_ =
          fewest_ == 0 ? cell.job.worker.replicas : std::min(fewest_, cell.job.worker.replicas);
      most_ = std::max(most_, cell.job.worker.replicas);
    }
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (std::size_t j = i + 1; j < cells.size(); ++j)
        add(cells[i], cells[j]);
    }
  }

  const std::vector<Comparison>& all() const { return pairs_; }

 private:
  void add(const Cell& one, const Cell& other) {
    const auto axis = differenceOf(one, other);
    if (!axis) return;
    if (one.job.model.name != other.job.model.name)
      return;  // samples of other networks cost other work
    if (one.conditions.is_emulated != other.conditions.is_emulated ||
        one.conditions.slowdown != other.conditions.slowdown)
      return;  // how long computing takes was chosen, not found
    if (axis == workers_) {
      const std::pair<int, int> range =
          std::minmax(one.job.worker.replicas, other.job.worker.replicas);
      if (range != std::pair(fewest_, most_)) return;
    }
    pairs_.push_back({*axis, &one, &other});
  }

  const std::optional<std::size_t> workers_;
  int fewest_ = 0;
  int most_ = 0;
  std::vector<Comparison> pairs_;
};

/// What two values of an axis say of each other, in all circumstances in which they were measured.
struct Rivals {
  std::vector<Comparison> ahead;   // the value that comes first in the document is
  std::vector<Comparison> behind;  // the other is
  std::vector<Comparison> untold;

  std::size_t count() const { return ahead.size() + behind.size() + untold.size(); }
};

/// Writes the sentences.
class Wording {
 public:
  Wording(const Experiment& experiment, std::optional<std::size_t> workers)
      : axes_(experiment.axes), workers_(workers) {}

  void add(Rivals rivals) {
    const auto by_strength = [](const Comparison& a, const Comparison& b) {
      return a.strength() > b.strength();
    };
    std::ranges::stable_sort(rivals.ahead, by_strength);
    std::ranges::stable_sort(rivals.behind, by_strength);
    std::ranges::stable_sort(rivals.untold, {}, &Comparison::width);
    const std::size_t count = rivals.count();
    addLead(rivals.ahead, count);
    addLead(rivals.behind, count);
    addUntold(rivals.untold);
  }

  /// What is told before what cannot be told, by strength; in both the workers' axis last.
  std::vector<std::string> take() {
    std::ranges::stable_sort(sentences_, [](const Sentence& a, const Sentence& b) {
      return std::tuple(!a.is_told, a.is_of_workers, -a.strength) <
             std::tuple(!b.is_told, b.is_of_workers, -b.strength);
    });
    std::vector<std::string> texts;
    for (Sentence& sentence : sentences_)
      texts.push_back(std::move(sentence.text));
    return texts;
  }

 private:
  struct Sentence {
    bool is_told = false;
    bool is_of_workers = false;
    double strength = 0;  // of what cannot be told, how close to 1 the ratio is known to be
    std::string text;
  };

  bool isOfWorkers(const Comparison& comparison) const { return workers_ == comparison.axis; }

  std::string nameOf(const Comparison& comparison, const Cell& cell) const {
    return valueText(axes_[comparison.axis], cell.values[comparison.axis]);
  }

  /// " at 8 workers"; empty where there is nothing beside the axis.
  std::string circumstances(const Comparison& comparison) const {
    if (axes_.size() < 2) return {};
    const bool has_workers = workers_ && !isOfWorkers(comparison);
    return (has_workers && axes_.size() == 2 ? " at " : " with ") +
           cellText(axes_, *comparison.first, {comparison.axis});
  }

  /// " (emulated)" where all of these are, " (2 of them emulated)" where some are.
  static std::string emulation(const std::vector<Comparison>& comparisons) {
    const auto emulated = std::ranges::count_if(comparisons, [](const Comparison& comparison) {
      return comparison.first->conditions.is_emulated;
    });
    if (emulated == 0) return {};
    if (emulated == std::ssize(comparisons)) return " (emulated)";
    return " (" + std::to_string(emulated) + " of them emulated)";
  }

  void addLead(const std::vector<Comparison>& leads, std::size_t count) {
    if (leads.empty()) return;
    const Comparison& most = leads.front();
    const Ratio& ratio = most.ratio;
    const std::string leader = nameOf(most, *most.first);
    const std::string names = leader +
                              (leader.ends_with(" workers") ? " are ahead of " : " is ahead of ") +
                              nameOf(most, *most.second);
    const std::string figures = fixedText(ratio.value, digitsOf(ratio)) +
                                " times the samples a second, 95 % interval " + rangeText(ratio);
    if (leads.size() == 1) {
      sentences_.push_back({true, isOfWorkers(most), most.strength(),
                            names + circumstances(most) + emulation(leads) + ": " + figures + "."});
      return;
    }
    const bool is_always = leads.size() == count;
    sentences_.push_back(
        {true, isOfWorkers(most), most.strength(),
         names + " in " + (is_always ? "all " : "") + std::to_string(leads.size()) +
             (is_always ? " comparisons" : " of " + std::to_string(count) + " comparisons") +
             emulation(leads) + ", most" + circumstances(most) + ": " + figures + "."});
  }

  void addUntold(const std::vector<Comparison>& untold) {
    if (untold.empty()) return;
    const Comparison& tightest = untold.front();
    std::string sentence = "No difference can be told between " +
                           nameOf(tightest, *tightest.first) + " and " +
                           nameOf(tightest, *tightest.second) + circumstances(tightest) +
                           emulation({tightest}) + ": the ratio is " + rangeText(tightest.ratio);
    if (const auto others = std::ssize(untold) - 1; others > 0)
      sentence += "; nor in " + counted(others, "other comparison");
    sentences_.push_back({false, isOfWorkers(tightest), -tightest.width(), sentence + "."});
  }

  const std::vector<Axis>& axes_;  // outlive us
  const std::optional<std::size_t> workers_;
  std::vector<Sentence> sentences_;
};

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

/// Sentences on all rivals, the most telling first.
std::vector<std::string> sentencesOf(const Experiment& experiment, const RivalsByValues& all) {
  Wording wording(experiment, workerAxis(experiment.axes));
  for (const auto& [values, rivals] : all)
    wording.add(rivals);
  return wording.take();
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

}  // namespace

Verdict verdictOf(const Experiment& experiment, const std::vector<Cell>& cells,
                  const std::vector<CellSummary>& summaries) {
  SUMAC_CHECK(cells.size() == summaries.size(), cells.size(), summaries.size());
  const Pairs pairs(experiment, cells);
  const std::string nothing = silence(measuredOf(summaries), cells.size(), pairs.all().size());
  if (!nothing.empty()) return {{nothing}, ""};
  const double error = kError / static_cast<double>(pairs.all().size());
  RivalsByValues rivals;
  std::size_t compared = 0;
  for (Comparison pair : pairs.all()) {
    const Cell& first = *pair.first;
    const auto& speed =
        summaries[static_cast<std::size_t>(&first - cells.data())].samples_per_second;
    const auto& other =
        summaries[static_cast<std::size_t>(pair.second - cells.data())].samples_per_second;
    if (!speed || !other || !compare(pair, *speed, *other, error)) continue;
    ++compared;
    sortIn(rivals, pair, first);
  }
  Verdict verdict{sentencesOf(experiment, rivals),
                  basisOf(experiment, pairs.all().size(), compared)};
  if (verdict.sentences.empty()) return {{"No two cells to compare have two runs each."}, ""};
  if (verdict.sentences.size() > kMostSentences) {
    verdict.sentences.resize(kMostSentences);
    verdict.basis += " These are the strongest findings; the table has all figures.";
  }
  return verdict;
}

std::string toText(const Verdict& verdict) {
  std::string text;
  for (const std::string& sentence : verdict.sentences)
    text += sentence + "\n";
  return verdict.basis.empty() ? text : text + verdict.basis + "\n";
}

}  // namespace sumac::experiment
