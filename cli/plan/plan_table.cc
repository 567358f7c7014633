#include <algorithm>
#include <string>
#include <vector>

#include "base/core/table.h"
#include "base/core/units.h"
#include "cli/plan/plan_output.h"
#include "planner/advice/texts.h"

namespace sumac::cli {
namespace {

using planner::Advice;
using planner::Way;
using Row = std::vector<std::string>;

constexpr std::size_t kMostWays = 10;
constexpr const char* kNone = "-";

std::string costText(const Way& way, const std::string& currency) {
  return way.cost ? planner::moneyText(*way.cost, currency) : kNone;
}

std::string memoryText(const Way& way) {
  std::string text = planner::memoryText(way.memory.needed());
  if (way.memory.limit_bytes) text += " of " + planner::memoryText(*way.memory.limit_bytes);
  return text;
}

Row rowOf(const Way& way, const std::string& currency) {
  const planner::JobChoice& choice = way.choice;
  return {std::to_string(choice.workers),
          choice.servers > 0 ? std::to_string(choice.servers) : kNone,
          planner::exchangeText(choice),
          planner::hasNoExchange(choice) ? kNone : std::string(toString(choice.codec)),
          std::to_string(choice.batch),
          std::to_string(way.threads),
          durationText(way.step.seconds()),
          durationText(way.seconds),
          marginText(way.margin),
          costText(way, currency),
          way.speedup ? digitsText(*way.speedup) : kNone,
          way.speedup ? percentText(way.efficiency) : kNone,
          memoryText(way)};
}

const Row kColumns = {"WORKERS", "SERVERS", "EXCHANGE", "CODEC",   "BATCH",      "THREADS", "STEP",
                      "TIME",    "MARGIN",  "COST",     "SPEEDUP", "EFFICIENCY", "MEMORY"};

std::string recommendation(const Advice& advice) {
  if (!advice.recommended) return advice.no_plan + "\n";
  const Way& way = advice.ways[*advice.recommended];
  std::string text = "Recommended: " + toString(way.choice) + ": " + durationText(way.seconds) +
                     " " + marginText(way.margin) + " for " + counted(way.steps, "step");
  if (way.cost) text += ", " + planner::moneyText(*way.cost, advice.currency);
  text += ", data parallel, V = " + std::to_string(way.choice.logical_workers) + ".\n";
  for (const std::string& reason : advice.reasons)
    text += "  " + reason + "\n";
  return text;
}

std::string waysTable(const Advice& advice) {
  const auto feasible = static_cast<std::size_t>(
      std::ranges::count_if(advice.ways, [](const Way& way) { return way.obstacles.empty(); }));
  std::vector<Row> rows;
  for (std::size_t i = 0; i < std::min(feasible, kMostWays); ++i)
    rows.push_back(rowOf(advice.ways[i], advice.currency));
  std::string text;
  if (!rows.empty())
    text += "\nBest ways:\n" + table(kColumns, rows) + planner::kMarginSentence + "\n";
  const std::size_t refused = advice.ways.size() - feasible;
  text += counted(static_cast<std::int64_t>(feasible), "way") + " can be taken, " +
          std::to_string(refused) + " cannot; -o json lists all.\n";
  if (refused > 0) {
    const Way& first = advice.ways[feasible];
    text += "  For example " + toString(first.choice) + " " + first.obstacles.front() + ".\n";
  }
  return text;
}

/// "12 to 64 workers: the profile does not reach ..." for each run of the same reason.
std::string missingText(const Advice& advice) {
  std::string text;
  const auto& points = advice.scale;
  for (std::size_t i = 0; i < points.size();) {
    std::size_t end = i + 1;
    const bool is_missing = !points[i].way;
    while (end < points.size() && !points[end].way && points[end].why_not == points[i].why_not)
      ++end;
    if (is_missing) {
      text += "  " + std::to_string(points[i].workers);
      if (end > i + 1) text += " to " + std::to_string(points[end - 1].workers);
      text += " workers: " + points[i].why_not + ".\n";
    }
    i = is_missing ? end : i + 1;
  }
  return text;
}

std::string scaleTable(const Advice& advice) {
  std::vector<Row> rows;
  for (const planner::ScalePoint& point : advice.scale) {
    if (!point.way) continue;
    rows.push_back(rowOf(advice.ways[*point.way], advice.currency));
    if (!point.why_not.empty()) rows.back().push_back("no: " + point.why_not);
  }
  return "\nBest way for each number of workers:\n" + table(kColumns, rows) + missingText(advice);
}

std::string strategiesTable(const Advice& advice) {
  if (advice.strategies.empty()) return {};
  std::vector<Row> rows;
  for (const planner::StrategyAdvice& strategy : advice.strategies) {
    const auto& assessed = strategy.assessment;
    rows.push_back({std::string(toString(assessed.strategy)),
                    assessed.estimate ? durationText(strategy.seconds_per_step) : kNone,
                    assessed.estimate
                        ? digitsText(assessed.estimate->memory_bytes / (1024.0 * 1024)) + " MiB"
                        : kNone,
                    strategy.why_not.empty() ? "what Sumac does" : strategy.why_not});
  }
  return "\nParallel strategies with as many members (Kahira et al. 2021; the exchange is not "
         "hidden there):\n" +
         (advice.strategies_basis.empty() ? "" : "  " + advice.strategies_basis + "\n") +
         table({"STRATEGY", "STEP", "MEMORY", "NOTE"}, rows);
}

std::string sizingText(const Advice& advice) {
  const planner::SizingAdvice& sizing = advice.sizing;
  std::string text;
  for (const std::string* line :
       {&sizing.largest_batch_text, &sizing.servers_text, &sizing.workers_text}) {
    if (!line->empty()) text += "  " + *line + "\n";
  }
  return text.empty() ? text : "\nRules of Zou et al. 2017:\n" + text;
}

std::string convolutionsText(const Advice& advice) {
  if (!advice.convolutions) return {};
  std::vector<Row> rows;
  for (const auto& [layer, algorithm] : advice.convolutions->layers) {
    rows.push_back({layer, algorithm.name, durationText(algorithm.seconds),
                    planner::memoryText(algorithm.workspace_bytes)});
  }
  return "\nAlgorithms of the convolutions (Zou et al. 2017), " +
         std::string(planner::kChoiceIsNotAdvice) + ":\n" +
         table({"LAYER", "ALGORITHM", "TIME", "WORKSPACE"}, rows) + advice.convolutions->text +
         "\n";
}

std::string changesText(const Advice& advice) {
  if (!advice.recommended) return {};
  std::string text = "\nWhat would change the answer:\n";
  for (const planner::Change& change : advice.changes)
    text += "  " + change.text + "\n";
  if (advice.unchanged.empty()) return text;
  text += "  Not: ";
  for (std::size_t i = 0; i < advice.unchanged.size(); ++i)
    text += (i > 0 ? "; " : "") + advice.unchanged[i];
  return text + ".\n";
}

std::string figuresTable(const Advice& advice) {
  std::vector<Row> rows;
  for (const planner::SourcedFigure& figure : advice.figures) {
    rows.push_back({figure.name, figure.value, std::string(toString(figure.origin)),
                    figure.date.empty() ? figure.source : figure.source + ", " + figure.date});
  }
  return "\nFigures:\n" + table({"FIGURE", "VALUE", "KIND", "SOURCE"}, rows);
}

std::string unpredictedText(std::size_t count, const planner::Unpredicted& group) {
  return "note: " + counted(static_cast<std::int64_t>(count), "way") + " not predicted, such as " +
         toString(group.example) + ": " + group.reason + ".\n";
}

std::string notesText(const Advice& advice) {
  std::string text;
  for (const std::string& note : advice.notes)
    text += "note: " + note + "\n";
  std::size_t beyond = 0;  // one line for all of them: each would name other sizes
  const planner::Unpredicted* first = nullptr;
  for (const planner::Unpredicted& group : advice.unpredicted) {
    if (!group.is_beyond_profile) {
      text += unpredictedText(group.candidates, group);
      continue;
    }
    beyond += group.candidates;
    if (first == nullptr) first = &group;
  }
  if (first != nullptr) {
    text += unpredictedText(beyond, *first);
    if (beyond > first->candidates)
      text += "  Others need other --batch-sizes or --threads in the profile.\n";
  }
  return text.empty() ? text : "\n" + text;
}

std::string goalText(const Advice& advice) {
  std::string text = "Goal: " + std::string(toString(advice.goal));
  for (const std::string& limit : advice.limits)
    text += ", " + limit;
  return text;
}

}  // namespace

std::string planTable(const Advice& advice) {
  return advice.job + " (" + advice.network + "), " + advice.place + "\n" + goalText(advice) +
         "\n\n" + recommendation(advice) + waysTable(advice) + scaleTable(advice) +
         strategiesTable(advice) + sizingText(advice) + convolutionsText(advice) +
         changesText(advice) + figuresTable(advice) + notesText(advice);
}

}  // namespace sumac::cli
