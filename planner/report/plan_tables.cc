#include "planner/report/plan_tables.h"

#include <string>
#include <utility>

#include "base/core/units.h"
#include "base/report/values.h"
#include "planner/report/sentences.h"

namespace sumac::planner {
namespace {

using report::Cell;
using report::ColumnKind;
using report::Table;
using report::Value;

/// Writes a row field by field; the first row of a table makes its columns. Without a title a field
/// is for programs alone, without a key for people.
class Row {
 public:
  explicit Row(Table& table) : table_(table), row_(table.rows.emplace_back()) {}

  void text(const char* key, const char* title, Cell cell) {
    add({key, title, "", ColumnKind::kText}, std::move(cell));
  }
  void number(const char* key, const char* title, Cell cell) {
    add({key, title, "", ColumnKind::kNumber}, std::move(cell));
  }
  void sentence(const char* key, const char* title, Cell cell) {
    add({key, title, "", ColumnKind::kSentence}, std::move(cell));
  }
  void value(const char* key, Value value) {
    add({key, "", "", ColumnKind::kText}, {"", std::move(value)});
  }

 private:
  void add(report::Column column, Cell cell) {
    if (table_.rows.size() == 1) table_.columns.push_back(std::move(column));
    row_.push_back(std::move(cell));
  }

  Table& table_;  // outlives us
  std::vector<Cell>& row_;
};

Cell count(std::int64_t number) {
  return {groupedText(static_cast<double>(number)), number};
}

Cell seconds(double seconds) {
  return {durationText(seconds), seconds};
}

Cell bytes(std::int64_t bytes) {
  return {bytesText(bytes), bytes};
}

std::string markOf(const Advice& advice, std::size_t one) {
  if (advice.recommended == one) return "recommended";
  return advice.as_written == one ? "as written" : "";
}

/// Several sentences as one text for people, as a list for programs.
Cell listCell(const std::vector<std::string>& texts) {
  Cell cell{"", Value::array()};
  for (const std::string& text : texts) {
    cell.text += (cell.text.empty() ? "" : "; ") + text;
    cell.value.push_back(text);
  }
  if (texts.empty()) cell.text = "-";
  return cell;
}

Cell obstaclesCell(const Advice& advice, const Configuration& one) {
  std::vector<std::string> texts;
  for (const BrokenLimit& obstacle : one.obstacles)
    texts.push_back(obstacleText(advice, one.memory, obstacle));
  return listCell(texts);
}

/// Programs read the exchange as two fields, people as one.
void addChoice(Row& row, const JobChoice& choice) {
  const bool has_all_reduce = isAllReduce(choice.method);
  row.number("servers", "Servers", {choice.servers > 0 ? "" : "-", choice.servers});
  row.text("", "Exchange", {exchangeText(choice)});
  row.value("exchange", has_all_reduce ? "allReduce" : "parameterServer");
  row.value("algorithm", has_all_reduce ? Value(toString(choice.method)) : Value());
  row.value("topology", has_all_reduce ? Value() : Value(toString(choice.method)));
  row.text("codec", "Codec", {hasNoExchange(choice) ? "-" : "", toString(choice.codec)});
  row.number("batchSize", "Batch", count(choice.batch));
  row.value("logicalWorkers", choice.logical_workers);
}

void addStep(Row& row, const StepTime& step) {
  row.number("step.seconds", "Step", seconds(step.seconds()));
  row.value("step.forwardSeconds", step.forward);
  row.value("step.backwardSeconds", step.backward);
  row.number("step.exchangeSeconds", "Exposed", seconds(step.exchange));
  row.value("step.updateSeconds", step.update);
  row.value("step.otherSeconds", step.other);
  row.value("step.coresSeconds", step.cores);
  row.value("step.boundBy", toString(step.bound));
}

/// What matters most.
void addOutcome(Row& row, const Advice& advice, const Configuration& one) {
  row.number("seconds", "Time", {durationText(one.seconds), one.seconds, marginText(one.margin)});
  if (!advice.currency.empty())
    row.number("cost", "Cost",
               one.cost ? Cell{moneyText(*one.cost, advice.currency), *one.cost} : Cell{"-"});
  row.number("speedup", "Speedup",
             one.speedup ? Cell{digitsText(*one.speedup), *one.speedup} : Cell{});
  row.number("efficiency", "Efficiency",
             one.speedup ? Cell{percentText(one.efficiency), one.efficiency} : Cell{});
  row.number("memoryBytes", "Memory", bytes(one.memory.needed()));
}

}  // namespace

Table alternatives(const Advice& advice, std::span<const std::size_t> all) {
  Table table{.most_rows = all.size(), .noun = "configuration"};
  bool is_possible = true;
  for (const std::size_t index : all)
    is_possible = is_possible && advice.configurations.at(index).isPossible();
  for (const std::size_t index : all) {
    const Configuration& one = advice.configurations.at(index);
    Row row(table);
    row.text("", "Alternative", {.text = choiceText(one.choice), .mark = markOf(advice, index)});
    addOutcome(row, advice, one);
    if (!is_possible) row.sentence("", "Not possible because", obstaclesCell(advice, one));
  }
  return table;
}

Table configurationsTable(const Advice& advice, std::span<const std::size_t> all) {
  Table table{.noun = "configuration"};
  for (const std::size_t index : all) {
    const Configuration& one = advice.configurations.at(index);
    const bool has_servers = one.choice.servers > 0;
    const auto& limit = one.memory.limit_bytes;
    Row row(table);
    row.number("workers", "Workers", {.value = one.choice.workers, .mark = markOf(advice, index)});
    addChoice(row, one.choice);
    row.value("steps", one.steps);
    row.number("threads", "Threads", count(one.threads));
    addStep(row, one.step);
    addOutcome(row, advice, one);
    row.value("marginShare", one.margin);
    row.number("samplesPerSecond", "Samples/s",
               {readableText(one.samples_per_second), one.samples_per_second});
    row.value("workerMemoryBytes", one.memory.worker_bytes);
    row.value("serverMemoryBytes", has_servers ? Value(one.memory.server_bytes) : Value());
    row.number("memoryLimitBytes", "Memory limit", limit ? bytes(*limit) : Cell{});
    row.sentence("obstacles", "Not possible because", obstaclesCell(advice, one));
  }
  return table;
}

Table scaleTable(const Advice& advice) {
  Table table{.most_rows = advice.scale.size()};
  const Configuration none;
  for (const ScalePoint& point : advice.scale) {
    const Configuration& one = point.best ? advice.configurations.at(*point.best) : none;
    Row row(table);
    row.number("workers", "Workers", count(point.workers));
    row.value("way", point.best ? Value(*point.best) : Value());
    row.text("", "Configuration",
             point.best ? Cell{.text = choiceText(one.choice), .mark = markOf(advice, *point.best)}
                        : Cell{});
    row.number("", "Step", point.best ? seconds(one.step.seconds()) : Cell{});
    row.number("", "Time", point.best ? seconds(one.seconds) : Cell{});
    row.number("", "Efficiency", one.speedup ? Cell{percentText(one.efficiency)} : Cell{});
    row.sentence("whyNot", "Not possible because", {whyNot(advice, point)});
  }
  return table;
}

Table strategiesTable(const Advice& advice) {
  Table table{.noun = "row"};
  for (const Assessment& assessed : advice.strategies) {
    const EpochTime time = assessed.estimate ? assessed.estimate->time : EpochTime();
    const double memory = assessed.estimate ? assessed.estimate->memory_bytes : 0;
    const auto known = [&](Cell cell) { return assessed.estimate ? std::move(cell) : Cell{}; };
    std::vector<std::string> findings;
    for (const Finding& finding : assessed.findings)
      findings.push_back(findingText(finding));
    Row row(table);
    row.text("strategy", "Strategy", {"", toString(assessed.strategy)});
    row.value("rank", assessed.rank);
    row.number("secondsPerStep", "Step", known(seconds(assessed.seconds())));
    row.number("computationSeconds", "Compute", known(seconds(time.computation())));
    row.number("communicationSeconds", "Communication", known(seconds(time.communication())));
    row.number("memoryBytes", "Memory", known({bytesText(memory), memory}));
    row.sentence("whyNot", "Not recommended because", {whyNot(advice, assessed)});
    row.sentence("findings", "Held up by", listCell(findings));
  }
  return table;
}

Table convolutionsTable(const ConvolutionAdvice& advice) {
  Table table{.noun = "layer"};
  for (const auto& [layer, algorithm] : advice.layers) {
    Row row(table);
    row.text("layer", "Layer", {"", layer});
    row.text("algorithm", "Algorithm", {"", algorithm.name});
    row.number("seconds", "Time", seconds(algorithm.seconds));
    row.number("workspaceBytes", "Workspace", bytes(algorithm.workspace_bytes));
  }
  return table;
}

Table figuresTable(const Advice& advice) {
  Table table{.most_rows = advice.figures.size()};
  for (const NamedFigure& named : advice.figures) {
    const std::string origin(toString(named.figure.origin));
    Row row(table);
    row.text("name", "Figure", {figureText(named.name)});
    row.number("value", "Value", {valueText(advice, named)});
    row.value("kind", origin);
    row.text("", "Known by", {.origin = origin});
    row.sentence("source", "Source", {sourceText(advice, named)});
    row.text("date", "Date", {named.figure.date});
  }
  return table;
}

Table unpredictedTable(const Advice& advice) {
  Table table{.caption = "Configurations without a prediction", .noun = "reason"};
  for (const Unpredicted& group : advice.unpredicted) {
    Row row(table);
    row.sentence("reason", "Because", {unpredictedText(group)});
    row.number("candidates", "Configurations", {"", group.candidates});
    row.text("example", "For example",
             {.text = choiceText(group.example),
              .value = choiceJson(group.example),
              .mark = group.has_written ? "as written" : ""});
    row.value("hasWritten", group.has_written);
  }
  return table;
}

Table enoughTable(const Obstruction& obstruction) {
  Table table;
  for (const EnoughLimits& limits : obstruction.enough) {
    const auto valueOf = [](const auto& limit) { return limit ? Value(*limit) : Value(); };
    Row row(table);
    row.value("deadlineSeconds", valueOf(limits.deadline_seconds));
    row.value("budget", valueOf(limits.budget));
    row.value("memoryBytes", valueOf(limits.memory_bytes));
    row.value("maxWorkers", valueOf(limits.workers));
  }
  return table;
}

Value choiceJson(const JobChoice& choice) {
  Table table;
  Row row(table);
  row.value("workers", choice.workers);
  addChoice(row, choice);
  return toJson(table).front();
}

}  // namespace sumac::planner
