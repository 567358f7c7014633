#include <algorithm>
#include <iterator>
#include <utility>

#include "base/core/units.h"
#include "base/report/numbers.h"
#include "planner/advice/explanation.h"
#include "planner/advice/texts.h"
#include "planner/page/plan_charts.h"
#include "planner/page/plan_sections.h"

namespace sumac::planner {
namespace {

using report::markup::Field;
using Row = std::vector<Field>;

constexpr std::size_t kShownRows = 20;
constexpr std::size_t kMostRows = 5'000;  // a page of a few megabytes

std::string memoryOrNone(std::int64_t bytes) {
  return bytes > 0 ? bytesText(static_cast<std::uint64_t>(bytes)) : kNoValue;
}

std::string costText(const Advice& advice, const Way& way) {
  return way.cost ? moneyText(*way.cost, advice.currency) : kNoValue;
}

std::string codecText(const JobChoice& choice) {
  return hasNoExchange(choice) ? kNoValue : std::string(toString(choice.codec));
}

std::string speedupText(const Way& way) {
  return way.speedup ? groupedText(*way.speedup, 2) : kNoValue;
}

std::string efficiencyText(const Way& way) {
  return way.speedup ? percentText(way.efficiency) : kNoValue;
}

/// Columns that tell ways apart, and what a row has there.
std::vector<report::markup::Column> choiceColumns() {
  return {{"Workers", true}, {"Servers", true}, {"Exchange"}, {"Mini-batch", true}, {"Codec"}};
}

/// `remark` tells the way from others.
Row choiceFields(const JobChoice& choice, const std::string& remark) {
  return {{std::to_string(choice.workers)},
          {choice.servers > 0 ? std::to_string(choice.servers) : kNoValue},
          {exchangeText(choice), remark},
          {groupedText(static_cast<double>(choice.batch), 0)},
          {codecText(choice)}};
}

std::vector<report::markup::Column> figureColumns(const Advice& advice) {
  std::vector<report::markup::Column> columns{{"Threads", true}, {"Time", true}};
  if (!advice.currency.empty()) columns.push_back({"Cost", true});
  for (const char* const title : {"Samples/s", "Speedup", "Efficiency", "Memory"})
    columns.push_back({title, true});
  return columns;
}

Row figureFields(const Advice& advice, const Way& way) {
  Row row{{std::to_string(way.threads)}, {durationText(way.seconds), marginText(way.margin)}};
  if (!advice.currency.empty()) row.push_back({costText(advice, way)});
  row.push_back({readableText(way.samples_per_second)});
  row.push_back({speedupText(way)});
  row.push_back({efficiencyText(way)});
  row.push_back({memoryOrNone(way.memory.needed())});
  return row;
}

void append(Row& row, const Row& more) {
  row.insert(row.end(), more.begin(), more.end());
}

std::string markOf(const Advice& advice, std::size_t way) {
  if (advice.recommended == way) return "recommended";
  return advice.as_written == way ? "as written" : "";
}

std::string joined(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts)
    all += (all.empty() ? "" : "; ") + text;
  return all;
}

/// A row of the table that compares two ways.
void compare(report::markup::Table& table, const Advice& advice, const std::string& name,
             const auto& textOf) {
  Row row{{name}};
  for (const auto& index : {advice.recommended, advice.as_written})
    if (index) row.push_back({textOf(advice.ways.at(*index))});
  table.rows.push_back(std::move(row));
}

std::string limitText(const Way& way) {
  return way.memory.limit_bytes ? " of " + memoryOrNone(*way.memory.limit_bytes) : "";
}

/// A member's memory, beside the limit where that is of each member.
std::string memberText(const Way& way, std::int64_t bytes) {
  const bool has_own_limit = bytes > 0 && !way.memory.all_bytes;
  return memoryOrNone(bytes) + (has_own_limit ? limitText(way) : "");
}

bool isShared(const Way& way) {
  return way.memory.all_bytes.has_value();
}

}  // namespace

std::string longTable(const report::markup::Table& table, const std::string& noun) {
  if (table.rows.empty()) return {};
  if (table.rows.size() <= kShownRows) return toHtml(table);
  report::markup::Table first = table;
  first.rows.resize(kShownRows);
  first.caption += ": the first " + std::to_string(kShownRows);
  report::markup::Table all = table;
  std::string line = "All " + counted(std::ssize(table.rows), noun);
  if (all.rows.size() > kMostRows) {
    line = "The first " + counted(kMostRows, noun) + " of " + std::to_string(all.rows.size()) +
           "; -o json has all";
    all.rows.resize(kMostRows);
  }
  return toHtml(first) + report::folded(line, toHtml(all));
}

std::string choiceSection(const Advice& advice) {
  if (!advice.recommended && !advice.as_written) return {};
  report::markup::Table table{"Predicted, of the whole job and of each member", {{"", false}}, {}};
  if (advice.recommended) table.columns.push_back({"Recommended", false, true});
  if (advice.as_written) table.columns.push_back({"As written", false, true});
  const auto row = [&](const char* name, const auto& text) { compare(table, advice, name, text); };
  row("Workers", [](const Way& way) { return std::to_string(way.choice.workers); });
  row("Servers", [](const Way& way) {
    return way.choice.servers > 0 ? std::to_string(way.choice.servers) : std::string(kNoValue);
  });
  row("Exchange", [](const Way& way) { return exchangeText(way.choice); });
  row("Codec", [](const Way& way) { return codecText(way.choice); });
  row("Mini-batch", [](const Way& way) {
    return groupedText(static_cast<double>(way.choice.batch), 0) + " samples";
  });
  row("Steps", [](const Way& way) { return groupedText(static_cast<double>(way.steps), 0); });
  row("Time of a step", [](const Way& way) { return durationText(way.step.seconds()); });
  row("Takes most of it", [](const Way& way) { return mostText(way.step); });
  row("Time of the job",
      [](const Way& way) { return durationText(way.seconds) + " " + marginText(way.margin); });
  row("Threads of a worker", [](const Way& way) { return std::to_string(way.threads); });
  if (!advice.currency.empty())
    row("Cost of the job", [&advice](const Way& way) { return costText(advice, way); });
  row("Speed", [](const Way& way) { return speedText(way.samples_per_second); });
  row("Speedup over one worker", speedupText);
  row("Efficiency", efficiencyText);
  row("Memory of a worker",
      [](const Way& way) { return memberText(way, way.memory.worker_bytes); });
  row("Memory of a server",
      [](const Way& way) { return memberText(way, way.memory.server_bytes); });
  if (std::ranges::any_of(advice.ways, isShared))
    row("Memory of all members",
        [](const Way& way) { return memoryOrNone(way.memory.needed()) + limitText(way); });
  return report::section("What to change", toHtml(table));
}

std::string scaleSection(const Advice& advice) {
  report::markup::Table table{"The best way with each number of workers", {{"Workers", true}}, {}};
  table.columns.push_back({"Way"});
  for (const report::markup::Column& column : figureColumns(advice))
    table.columns.push_back(column);
  table.columns.push_back({"Cannot be taken because", false, true});
  for (const ScalePoint& point : advice.scale) {
    Row row{{std::to_string(point.workers)}};
    if (point.way) {
      const Way& way = advice.ways.at(*point.way);
      row.push_back({toString(way.choice), markOf(advice, *point.way)});
      append(row, figureFields(advice, way));
    } else {
      row.resize(table.columns.size() - 1, {kNoValue});
    }
    row.push_back({point.why_not});
    table.rows.push_back(std::move(row));
  }
  if (table.rows.empty()) return {};
  const auto drawings = scaleDrawings(advice);
  return report::section("What more workers bring",
                         (drawings.empty() ? "" : report::pictures(drawings)) +
                             report::folded("The figures of these pictures", toHtml(table)));
}

std::string stepSection(const Advice& advice) {
  const auto drawings = stepDrawings(advice);
  if (drawings.empty()) return {};
  return report::section(
      "Where the time of a step goes",
      report::pictures(drawings) +
          report::paragraph("The exchange is what computing does not hide. Where members share the "
                            "cores of one machine, what they wait for these is in the last part."));
}

std::string rankingSection(const Advice& advice) {
  report::markup::Table table{"Ways that can be taken, the best first", {{"Rank", true}}, {}};
  for (const auto& columns : {choiceColumns(), figureColumns(advice)})
    table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  for (std::size_t i = 0; i < advice.ways.size(); ++i) {
    const Way& way = advice.ways[i];
    if (!way.obstacles.empty()) continue;
    Row row{{std::to_string(table.rows.size() + 1)}};
    append(row, choiceFields(way.choice, markOf(advice, i)));
    append(row, figureFields(advice, way));
    table.rows.push_back(std::move(row));
  }
  const std::string content = longTable(table, "way");
  return content.empty() ? content : report::section("All ways, ranked", content);
}

std::string refusedSection(const Advice& advice) {
  report::markup::Table table{"Ways that cannot be taken, the best first", choiceColumns(), {}};
  table.columns.push_back({"Because", false, true});
  for (const char* const title : {"Time", "Memory"})
    table.columns.push_back({title, true});
  for (std::size_t i = 0; i < advice.ways.size(); ++i) {
    const Way& way = advice.ways[i];
    if (way.obstacles.empty()) continue;
    Row row = choiceFields(way.choice, markOf(advice, i));
    append(row, {{joined(way.obstacles)},
                 {durationText(way.seconds)},
                 {memoryOrNone(way.memory.needed())}});
    table.rows.push_back(std::move(row));
  }
  report::markup::Table unpredicted{
      "Ways without a prediction", {{"Ways", true}, {"Because", false, true}, {"For example"}}, {}};
  for (const Unpredicted& each : advice.unpredicted) {
    unpredicted.rows.push_back(
        {{std::to_string(each.candidates)}, {each.reason}, {toString(each.example)}});
  }
  const std::string content = longTable(table, "way") + longTable(unpredicted, "reason");
  return content.empty() ? content : report::section("What cannot be taken, and why", content);
}

}  // namespace sumac::planner
