#include "experiment/report/wording.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "base/core/units.h"

#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

/// The digits after the point with which 1 is seen to lie outside of an interval.
int digitsOf(const Ratio& ratio) {
  constexpr double kManyTimes = 10;
  constexpr double kClose = 1.01;
  if (ratio.low >= kManyTimes) return 1;
  return ratio.low > 1 && ratio.low < kClose ? 4 : 2;
}

// Beyond these nobody asks for figures.
constexpr double kSmallestEnd = 1e-4;
constexpr double kLargestEnd = 1e4;
constexpr double kSlack = 1e-9;  // 1.7 must not become 1.69

/// The digits of one end, at least two of them significant.
int digitsOfEnd(double end, int digits) {
  constexpr double kTenth = 0.1;
  constexpr double kHundreds = 100;
  if (end >= kHundreds) return std::min(digits, 1);
  return end < kTenth ? static_cast<int>(std::ceil(-std::log10(end))) + 1 : digits;
}

std::string lowText(double low, int wanted) {
  if (!(low >= kSmallestEnd)) return "less than " + fixedText(kSmallestEnd, 4);
  const int digits = digitsOfEnd(low, wanted);
  const double scale = std::pow(10.0, digits);
  return fixedText(std::floor(low * scale + kSlack) / scale, digits);
}

std::string highText(double high, int wanted) {
  if (!(high <= kLargestEnd)) return "more than " + fixedText(kLargestEnd, 0);
  const int digits = digitsOfEnd(high, wanted);
  const double scale = std::pow(10.0, digits);
  return fixedText(std::ceil(high * scale - kSlack) / scale, digits);
}

/// The ends of an interval, rounded away from its middle.
std::string rangeText(const Ratio& ratio) {
  const int digits = digitsOf(ratio);
  return lowText(ratio.low, digits) + " to " + highText(ratio.high, digits);
}

/// " (emulated)" where all of these are, " (2 of them emulated)" where some are.
std::string emulation(const std::vector<Comparison>& comparisons) {
  const auto emulated = std::ranges::count_if(comparisons, [](const Comparison& comparison) {
    return comparison.first->conditions.is_emulated;
  });
  if (emulated == 0) return {};
  if (emulated == std::ssize(comparisons)) return " (emulated)";
  return " (" + std::to_string(emulated) + " of them emulated)";
}

/// " (if it is 0.54, about 4 times as many runs tell)"; empty where it takes too many.
std::string moreRuns(const Ratio& ratio) {
  constexpr double kMost = 20;
  const double half_width = std::log(ratio.high / ratio.low) / 2;
  const double times = std::pow(half_width / std::log(ratio.value), 2);
  if (!(times <= kMost)) return {};
  return " (if it is " + fixedText(ratio.value, 2) + ", about " +
         fixedText(std::max(2.0, std::ceil(times)), 0) + " times as many runs tell)";
}

bool isOfLinks(const Comparison& comparison) {
  return comparison.first->conditions.link_bits_per_second !=
         comparison.second->conditions.link_bits_per_second;
}

}  // namespace

Wording::Wording(const Experiment& experiment)
    : experiment_(experiment), workers_(workerAxis(experiment.axes)) {}

void Wording::add(Rivals rivals) {
  const std::size_t count = rivals.count();
  addLead(std::move(rivals.ahead), count);
  addLead(std::move(rivals.behind), count);
  addUntold(std::move(rivals.untold));
}

std::vector<std::string> Wording::take(std::size_t most) {
  std::ranges::stable_sort(sentences_, [](const Sentence& a, const Sentence& b) {
    return std::tuple(!a.is_told, a.is_idle, a.is_of_links, a.is_of_workers, -a.strength) <
           std::tuple(!b.is_told, b.is_idle, b.is_of_links, b.is_of_workers, -b.strength);
  });
  if (sentences_.size() > most) {
    const auto untold = std::ranges::find(sentences_, false, &Sentence::is_told);
    const auto last = sentences_.begin() + static_cast<std::ptrdiff_t>(most) - 1;
    if (untold != sentences_.end() && untold > last) std::iter_swap(untold, last);
    sentences_.resize(most);
  }
  std::vector<std::string> texts;
  for (Sentence& sentence : sentences_)
    texts.push_back(std::move(sentence.text));
  return texts;
}

/// With its number of workers, where that is not the axis and differs all the same.
std::string Wording::nameOf(const Comparison& comparison, const Cell& cell) const {
  const std::size_t axis = comparison.axis;
  std::string name = valueText(experiment_.axes[axis], cell.values[axis]);
  if (!isOfWorkers(comparison) && experiment_.scale.empty() &&
      comparison.first->job.worker.replicas != comparison.second->job.worker.replicas)
    name += " (" + counted(cell.job.worker.replicas, "worker") + ")";
  return name;
}

/// " at 8 workers"; empty where there is nothing beside the axis.
std::string Wording::circumstances(const Comparison& comparison) const {
  const auto& axes = experiment_.axes;
  if (axes.size() < 2) return {};
  const bool has_workers = workers_ && !isOfWorkers(comparison);
  return (has_workers && axes.size() == 2 ? " at " : " with ") +
         cellText(axes, *comparison.first, {comparison.axis});
}

/// Which of several leads the figures are of, the first: ", of those with 8 workers most with
/// ring".
std::string Wording::whichOf(const std::vector<Comparison>& leads) const {
  const Comparison& named = leads.front();
  if (workers_ && !isOfWorkers(named)) {
    const auto is_alike = [&named](const Comparison& lead) {
      return lead.is_idle == named.is_idle && lead.workers() == named.workers();
    };
    if (std::ranges::count_if(leads, is_alike) == 1) return "," + circumstances(named);
    return ", of those with " +
           valueText(experiment_.axes[*workers_], named.first->values[*workers_]) + " most with " +
           cellText(experiment_.axes, *named.first, {named.axis, *workers_});
  }
  const bool leaves_out = named.is_idle != leads.back().is_idle;
  return (leaves_out ? ", of those that exchange most" : ", most") + circumstances(named);
}

/// "; cells 3 and 7 exchange nothing"; empty where all do.
std::string Wording::idleCells(const std::vector<Comparison>& comparisons) const {
  constexpr std::size_t kMostNumbers = 8;
  std::set<int> numbers;
  for (const Comparison& comparison : comparisons) {
    for (const Cell* const cell : {comparison.first, comparison.second}) {
      if (exchangesNothing(experiment_, *cell)) numbers.insert(cell->number);
    }
  }
  if (numbers.empty()) return {};
  if (numbers.size() > kMostNumbers)
    return "; " + std::to_string(numbers.size()) + " cells exchange nothing";
  return "; " + cellsText({numbers.begin(), numbers.end()}) +
         (numbers.size() == 1 ? " exchanges nothing" : " exchange nothing");
}

void Wording::addLead(std::vector<Comparison> leads, std::size_t count) {
  if (leads.empty()) return;
  // What a cell gains that exchanges nothing says little of the exchange.
  const bool has_workers = workers_ && !isOfWorkers(leads.front());
  std::ranges::stable_sort(leads, {}, [has_workers](const Comparison& lead) {
    return std::tuple(lead.is_idle, has_workers ? -lead.workers() : 0, -lead.strength());
  });
  const Comparison& named = leads.front();
  const Ratio& ratio = named.ratio;
  const std::string value =
      valueText(experiment_.axes[named.axis], named.first->values[named.axis]);
  const bool is_plural = value.ends_with(" workers") || value.ends_with(" servers");
  std::string text = nameOf(named, *named.first) +
                     (is_plural ? " are ahead of " : " is ahead of ") +
                     nameOf(named, *named.second);
  if (leads.size() == 1) {
    text += circumstances(named) + emulation(leads);
  } else {
    const bool is_always = leads.size() == count;
    text += " in " + (is_always ? std::string("all ") : std::string()) +
            std::to_string(leads.size()) +
            (is_always ? " comparisons" : " of " + std::to_string(count) + " comparisons") +
            emulation(leads) + whichOf(leads);
  }
  text += ": " + fixedText(ratio.value, digitsOf(ratio)) +
          " times the samples a second, 95 % interval " + rangeText(ratio) + idleCells(leads) + ".";
  sentences_.push_back({true, named.is_idle, isOfLinks(named), isOfWorkers(named), named.strength(),
                        std::move(text)});
}

void Wording::addUntold(std::vector<Comparison> untold) {
  if (untold.empty()) return;
  std::ranges::stable_sort(untold, {}, [](const Comparison& comparison) {
    return std::pair(comparison.is_idle, comparison.width());
  });
  const Comparison& tightest = untold.front();
  std::string sentence = "No difference can be told between " + nameOf(tightest, *tightest.first) +
                         " and " + nameOf(tightest, *tightest.second) + circumstances(tightest) +
                         emulation({tightest}) + ": the ratio is " + rangeText(tightest.ratio) +
                         moreRuns(tightest.ratio);
  if (const auto others = std::ssize(untold) - 1; others > 0)
    sentence += "; nor in " + counted(others, "other comparison");
  sentences_.push_back({false, tightest.is_idle, isOfLinks(tightest), isOfWorkers(tightest),
                        -tightest.width(), sentence + idleCells(untold) + "."});
}

}  // namespace sumac::experiment
