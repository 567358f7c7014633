#include "planner/page/plan_page.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/core/units.h"
#include "base/report/html.h"
#include "planner/advice/texts.h"
#include "planner/page/plan_sections.h"

namespace sumac::planner {
namespace {

std::string questionOf(PlanGoal goal) {
  switch (goal) {
    case PlanGoal::kTime: return "Which way of running this job takes the least time?";
    case PlanGoal::kCost: return "Which way of running this job costs the least?";
    case PlanGoal::kEfficiency: return "Which way of running this job wastes the least computing?";
  }
  return {};
}

std::ptrdiff_t usableWays(const Advice& advice) {
  return std::ranges::count_if(advice.ways, [](const Way& way) { return way.obstacles.empty(); });
}

report::Heading headingOf(const Advice& advice) {
  report::Heading heading{"Sumac plan", advice.job, questionOf(advice.goal), {}, {}};
  if (!advice.recommended) heading.alarms.emplace_back("No way can be taken");
  for (const std::string& remark : {advice.network, advice.place})
    if (!remark.empty()) heading.remarks.push_back(remark);
  heading.remarks.push_back(counted(std::ssize(advice.ways), "way") + " predicted, " +
                            std::to_string(usableWays(advice)) + " of them can be taken");
  heading.remarks.insert(heading.remarks.end(), advice.limits.begin(), advice.limits.end());
  return heading;
}

/// "Take 4 workers, 1 server, ...: 12 min, 0.42 EUR, efficiency 87 %."
std::string recommendationOf(const Advice& advice, const Way& way) {
  std::string text = "Take " + toString(way.choice) + ": " + durationText(way.seconds) + " " +
                     marginText(way.margin);
  if (way.cost) text += ", " + moneyText(*way.cost, advice.currency);
  return text + (way.speedup ? ", efficiency " + percentText(way.efficiency) : "") + ".";
}

/// What the figures are that everything is computed from, by how they are known.
std::string basisOf(const Advice& advice) {
  constexpr std::array kOrigins = {FigureOrigin::kMeasured, FigureOrigin::kPublished,
                                   FigureOrigin::kGiven};
  std::string counts;
  for (const FigureOrigin origin : kOrigins) {
    const auto count = std::ranges::count(advice.figures, origin, &SourcedFigure::origin);
    if (count == 0) continue;
    counts +=
        (counts.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(toString(origin));
  }
  const std::string text = std::string("A prediction, not a measurement. ") + kMarginSentence;
  return counts.empty() ? text
                        : text + " Computed from figures that are listed below: " + counts + ".";
}

std::string findingsOf(const Advice& advice) {
  std::vector<std::string> sentences;
  if (advice.recommended) {
    sentences.push_back(recommendationOf(advice, advice.ways.at(*advice.recommended)));
  } else {
    sentences.push_back(advice.no_plan.empty() ? "No way can be taken." : advice.no_plan);
  }
  sentences.insert(sentences.end(), advice.reasons.begin(), advice.reasons.end());
  return report::keyFindings(sentences, basisOf(advice));
}

std::string changeSection(const Advice& advice) {
  std::string content;
  for (const Change& change : advice.changes)
    content += report::paragraph(change.text);
  if (!advice.unchanged.empty()) {
    std::string tried;
    for (const std::string& what : advice.unchanged)
      tried += (tried.empty() ? "" : "; ") + what;
    content += report::paragraph("Tried, and the recommendation stays: " + tried + ".");
  }
  return content.empty() ? content : report::section("What would change the answer", content);
}

std::string basisSection(const Advice& advice, const PlanOrigin& origin) {
  std::string content;
  for (const std::string& note : advice.notes)
    content += report::paragraph(note);
  report::markup::Table table{
      "Every figure that the predictions use",
      {{"Figure"}, {"Value", true}, {"Known by"}, {"Source", false, true}, {"Date"}},
      {}};
  for (const SourcedFigure& figure : advice.figures) {
    report::markup::Field known;
    known.origin = std::string(toString(figure.origin));
    table.rows.push_back({{figure.name},
                          {figure.value},
                          known,
                          {figure.source},
                          {figure.date.empty() ? kNoValue : figure.date}});
  }
  if (!table.rows.empty()) content += toHtml(table);
  content += report::definitionList({{"Sumac", origin.version}});
  return report::section("What it rests on", content + report::paragraph("To plan it again:") +
                                                 report::preformatted(origin.command));
}

}  // namespace

std::string planPage(const Advice& advice, const PlanOrigin& origin) {
  return report::htmlPage(
      headingOf(advice), findingsOf(advice) + choiceSection(advice) + scaleSection(advice) +
                             stepSection(advice) + rankingSection(advice) + refusedSection(advice) +
                             changeSection(advice) + strategySection(advice) +
                             sizingSection(advice) + convolutionSection(advice) +
                             basisSection(advice, origin));
}

}  // namespace sumac::planner
