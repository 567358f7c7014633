#include "planner/report/plan_report.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/core/units.h"
#include "planner/report/plan_charts.h"
#include "planner/report/plan_tables.h"
#include "planner/report/sentences.h"

namespace sumac::planner {
namespace {

using report::Audience;
using report::Block;
using report::Paragraph;
using report::Section;

std::string questionOf(PlanGoal goal) {
  switch (goal) {
    case PlanGoal::kTime: return "Which configuration takes the least time?";
    case PlanGoal::kCost: return "Which configuration costs the least?";
    case PlanGoal::kEfficiency: return "Which configuration wastes the least compute?";
  }
  return {};
}

report::Heading headingOf(const Advice& advice) {
  report::Heading heading{"Sumac plan", advice.job, questionOf(advice.goal), {}, {}};
  if (!advice.recommended) heading.alarms.emplace_back("No configuration keeps all limits");
  if (!advice.network.empty()) heading.remarks.push_back(advice.network);
  heading.remarks.push_back(placeText(advice.place));
  const auto possible = std::ranges::count_if(
      advice.configurations, [](const Configuration& each) { return each.obstacles.empty(); });
  heading.remarks.push_back(counted(std::ssize(advice.configurations), "configuration") + ", " +
                            std::to_string(possible) + " of them possible");
  std::ranges::move(limitTexts(advice), std::back_inserter(heading.remarks));
  return heading;
}

/// What is asked, in one line.
std::string subjectOf(const Advice& advice) {
  const auto limits = limitTexts(advice);
  return advice.job + " (" + advice.network + "), " + placeText(advice.place) + "; goal " +
         std::string(toString(advice.goal)) + (limits.empty() ? "" : ", ") + joined(limits, ", ");
}

/// The recommendation with the reasons that no table below has.
report::Findings findingsOf(const Advice& advice) {
  if (!advice.recommended)
    return {{advice.obstruction ? noPlanText(advice) : "No configuration is possible."}, {}};
  const Configuration& one = advice.taken();
  report::Findings findings{{"Recommended: " + predictionText(advice, one) + "."}, {}};
  for (const Reason& reason : advice.reasons) {
    if (reason.kind != ReasonKind::kStep && reason.kind != ReasonKind::kAsWritten)
      findings.sentences.push_back(reasonText(advice, reason));
  }
  return findings;
}

/// Three others: the job as written, and the best of other members or another exchange.
std::vector<std::size_t> alternativesOf(const Advice& advice) {
  constexpr std::size_t kMost = 3;
  std::vector<std::size_t> others;
  std::vector<std::pair<int, std::string>> kinds;
  const auto add = [&](std::size_t index) {
    const JobChoice& choice = advice.configurations.at(index).choice;
    const std::pair kind(choice.members(), exchangeText(choice));
    if (std::ranges::count(kinds, kind) > 0) return;
    kinds.push_back(kind);
    if (index != advice.recommended && others.size() < kMost) others.push_back(index);
  };
  if (advice.recommended) add(*advice.recommended);
  if (advice.as_written) add(*advice.as_written);
  for (std::size_t i = 0; i < advice.configurations.size() && others.size() < kMost; ++i)
    add(i);
  std::ranges::sort(others);
  return others;
}

/// What would change the answer, in one line: the conditions alone.
std::string changesLine(const Advice& advice) {
  std::vector<std::string> texts;
  for (const Change& change : advice.changes)
    texts.push_back(trialText(change.trial));
  return texts.empty() ? "Nothing that was tried would change it."
                       : "Would change it: " + joined(texts, "; ") + ".";
}

/// The warnings that cost most where nobody reads them; the rest are counted.
Section warningsOf(const Advice& advice) {
  constexpr std::size_t kMost = 2;
  Section section{"", Audience::kTerminal};
  std::vector<std::pair<std::ptrdiff_t, const Note*>> warnings;
  for (const Note& note : advice.notes)
    if (const auto rank = warningRank(note.kind)) warnings.emplace_back(*rank, &note);
  std::ranges::sort(warnings);
  for (const auto& [rank, note] : std::span(warnings).first(std::min(warnings.size(), kMost)))
    section.blocks.emplace_back(Paragraph{"warning: " + noteText(advice, *note)});
  if (warnings.size() > kMost)
    section.blocks.emplace_back(Paragraph{
        counted(static_cast<std::int64_t>(warnings.size() - kMost), "more warning") + "."});
  return section;
}

/// The configurations that are possible, or those that are not.
std::vector<std::size_t> configurationsThat(const Advice& advice, bool are_possible) {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < advice.configurations.size(); ++i)
    if (advice.configurations[i].isPossible() == are_possible) all.push_back(i);
  return all;
}

Section wide(std::string heading, std::vector<Block> blocks) {
  return {std::move(heading), Audience::kWide, std::move(blocks)};
}

Section changesSection(const Advice& advice) {
  report::List changes;
  for (const Change& change : advice.changes)
    changes.items.push_back(changeText(advice, change));
  std::vector<std::string> tried;
  for (const Trial& trial : advice.unchanged)
    tried.push_back(trialText(trial));
  std::string same;
  if (!tried.empty()) same = "The recommendation stays with " + joined(tried, "; ") + ".";
  return wide("What would change the answer", {changes, Paragraph{same}});
}

Section stepSection(const Advice& advice) {
  std::string text;
  for (const Reason& reason : advice.reasons)
    if (reason.kind == ReasonKind::kStep) text = reasonText(advice, reason);
  return wide("Where the time of a step goes",
              {Paragraph{text}, report::Pictures{stepDrawings(advice)}});
}

Section strategySection(const Advice& advice) {
  if (advice.strategies.empty()) return {};
  return wide(
      "Other parallel strategies",
      {Paragraph{"By the oracle of Kahira et al. (2021), with the members of the recommended "
                 "configuration and all communication exposed. Sumac trains data parallel. " +
                 basisText(advice.strategies_basis)},
       strategiesTable(advice)});
}

Section sizingSection(const Advice& advice) {
  report::Definitions rules;
  for (const auto& [name, text] : {std::pair("Largest mini-batch", largestBatchText(advice.sizing)),
                                   std::pair("Servers", serversText(advice.sizing)),
                                   std::pair("Workers", workersText(advice.sizing))})
    if (!text.empty() && advice.recommended) rules.entries.emplace_back(name, text);
  return wide("Rules of Zou et al. (2017)", {rules});
}

Section convolutionSection(const Advice& advice) {
  if (!advice.convolutions) return {};
  return wide(
      "Algorithms of the convolutions (Zou et al. 2017), " + std::string(kChoiceIsNotAdvice),
      {convolutionsTable(*advice.convolutions), Paragraph{convolutionsText(*advice.convolutions)}});
}

/// What the figures are that everything is computed from, by how they are known.
std::string basisOf(const Advice& advice) {
  std::vector<std::string> counts;
  for (const FigureOrigin origin :
       {FigureOrigin::kMeasured, FigureOrigin::kPublished, FigureOrigin::kGiven}) {
    const auto count = std::ranges::count(advice.figures, origin,
                                          [](const NamedFigure& one) { return one.figure.origin; });
    if (count > 0) counts.push_back(std::to_string(count) + " " + std::string(toString(origin)));
  }
  return "A prediction, not a measurement. A margin (±) is the spread of the profile's times, the "
         "error of the exchange's costs and that of the model itself, the root of the sum of their "
         "squares. " +
         (counts.empty() ? "" : "Computed from " + joined(counts, ", ") + " figures.");
}

Section basisSection(const Advice& advice, const PlanOrigin& origin) {
  report::List notes;
  for (const Note& note : advice.notes)
    notes.items.push_back(noteText(advice, note));
  return wide("What it rests on", {Paragraph{basisOf(advice)}, notes, figuresTable(advice),
                                   Paragraph{"Sumac " + origin.version + ". To plan it again:"},
                                   report::Preformatted{origin.command}});
}

}  // namespace

report::Report planReport(const Advice& advice, const PlanOrigin& origin) {
  report::Report report{headingOf(advice), {}};
  auto& sections = report.sections;
  sections.push_back({"", Audience::kTerminal, {Paragraph{subjectOf(advice)}}});
  sections.push_back({"", Audience::kAll, {findingsOf(advice)}});
  sections.push_back({"", Audience::kAll, {alternatives(advice, alternativesOf(advice))}});
  if (advice.recommended)
    sections.push_back({"", Audience::kTerminal, {Paragraph{changesLine(advice)}}});
  sections.push_back(warningsOf(advice));
  sections.push_back(wide("What more workers bring",
                          {report::Pictures{scaleDrawings(advice)}, scaleTable(advice)}));
  sections.push_back(stepSection(advice));
  sections.push_back(wide("All configurations, the best first",
                          {configurationsTable(advice, configurationsThat(advice, true))}));
  sections.push_back(wide(
      "What is not possible",
      {configurationsTable(advice, configurationsThat(advice, false)), unpredictedTable(advice)}));
  sections.push_back(changesSection(advice));
  sections.push_back(strategySection(advice));
  sections.push_back(sizingSection(advice));
  sections.push_back(convolutionSection(advice));
  sections.push_back(basisSection(advice, origin));
  return report;
}

}  // namespace sumac::planner
