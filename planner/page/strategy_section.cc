#include <algorithm>
#include <utility>

#include "base/core/units.h"
#include "planner/advice/texts.h"
#include "planner/page/plan_charts.h"
#include "planner/page/plan_sections.h"

namespace sumac::planner {
namespace {

using Row = std::vector<report::markup::Field>;

std::string gridText(const Grid& grid) {
  if (grid.groups == 1 || grid.inner == 1) return std::to_string(grid.members());
  return std::to_string(grid.members()) + " = " + std::to_string(grid.groups) + " × " +
         std::to_string(grid.inner);
}

std::string whyNot(const StrategyAdvice& strategy) {
  const auto& refusal = strategy.assessment.refusal;
  return refusal && strategy.why_not.empty() ? refusal->text : strategy.why_not;
}

/// The phases that any strategy spends time in.
std::vector<Phase> phasesOf(const Advice& advice) {
  std::vector<Phase> phases;
  for (const Phase phase : kPhases) {
    if (std::ranges::any_of(advice.strategies, [phase](const StrategyAdvice& strategy) {
          const auto& estimate = strategy.assessment.estimate;
          return estimate && estimate->time[phase] > 0;
        }))
      phases.push_back(phase);
  }
  return phases;
}

report::markup::Table strategyTable(const Advice& advice) {
  report::markup::Table table{"With the members of the recommended way; the phases are of a step",
                              {{"Strategy"},
                               {"Not recommended because", false, true},
                               {"Members", true},
                               {"Step", true},
                               {"Memory", true}},
                              {}};
  const std::vector<Phase> phases = phasesOf(advice);
  for (const Phase phase : phases)
    table.columns.push_back({std::string(toString(phase)), true});
  for (const StrategyAdvice& strategy : advice.strategies) {
    const Assessment& assessment = strategy.assessment;
    const auto& estimate = assessment.estimate;
    Row row{{std::string(toString(assessment.strategy)), "",
             assessment.isFeasible() ? "" : "cannot be used"},
            {whyNot(strategy)},
            {gridText(assessment.grid)},
            {estimate ? durationText(strategy.seconds_per_step) : kNoValue},
            {estimate ? bytesText(static_cast<std::uint64_t>(estimate->memory_bytes)) : kNoValue}};
    for (const Phase phase : phases) {
      const double seconds = estimate ? stepShare(strategy) * estimate->time[phase] : 0;
      row.push_back({seconds > 0 ? durationText(seconds) : kNoValue});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

report::markup::Table findingTable(const Advice& advice) {
  report::markup::Table table{
      "What holds each strategy up",
      {{"Strategy"}, {"Of"}, {"Kind"}, {"What", false, true}, {"In the time"}},
      {}};
  for (const StrategyAdvice& strategy : advice.strategies) {
    for (const Finding& finding : strategy.assessment.findings) {
      table.rows.push_back({{std::string(toString(strategy.assessment.strategy))},
                            {std::string(toString(finding.category))},
                            {finding.origin == Origin::kLimitation ? "limitation" : "bottleneck"},
                            {finding.text},
                            {finding.is_in_estimate ? "yes" : "no: it can only be slower"}});
    }
  }
  return table;
}

}  // namespace

std::string strategySection(const Advice& advice) {
  if (advice.strategies.empty()) return {};
  const auto drawings = strategyDrawings(advice);
  const auto findings = findingTable(advice);
  return report::section(
      "Other parallel strategies",
      report::paragraph("By the oracle of Kahira et al. (2021), which hides no exchange behind "
                        "computing. A limitation is one of the strategy; a bottleneck is one of a "
                        "system, and may be better elsewhere. This version of Sumac trains data "
                        "parallel. " +
                        advice.strategies_basis) +
          (drawings.empty() ? "" : report::pictures(drawings)) +
          longTable(strategyTable(advice), "strategy") +
          (findings.rows.empty() ? "" : toHtml(findings)));
}

std::string convolutionSection(const Advice& advice) {
  if (!advice.convolutions) return {};
  report::markup::Table table{std::string("The fastest choice, ") + std::string(kChoiceIsNotAdvice),
                              {{"Layer"}, {"Algorithm"}, {"Time", true}, {"Workspace", true}},
                              {}};
  for (const auto& [layer, algorithm] : advice.convolutions->layers) {
    table.rows.push_back({{layer},
                          {algorithm.name},
                          {durationText(algorithm.seconds)},
                          {memoryText(algorithm.workspace_bytes)}});
  }
  return report::section(
      "Algorithms of the convolutions",
      report::paragraph("The integer program of Zou et al. (2017), solved exactly. " +
                        advice.convolutions->text) +
          longTable(table, "layer"));
}

std::string sizingSection(const Advice& advice) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto& [name, text] :
       {std::pair("Largest mini-batch", advice.sizing.largest_batch_text),
        std::pair("Servers", advice.sizing.servers_text),
        std::pair("Workers", advice.sizing.workers_text)})
    if (!text.empty()) entries.emplace_back(name, text);
  if (entries.empty()) return {};
  return report::section(
      "What the rules of Zou et al. say",
      report::paragraph("From Zou et al. (2017): memory bounds the mini-batch, and "
                        "two lemmas the numbers of servers and workers.") +
          report::definitionList(entries));
}

}  // namespace sumac::planner
