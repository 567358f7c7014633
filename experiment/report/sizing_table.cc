#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <utility>

#include "base/core/rounded.h"
#include "base/core/units.h"

#include "experiment/measure/statistics.h"
#include "experiment/report/labels.h"
#include "experiment/report/sizing_report.h"

namespace sumac::experiment {
namespace {

using autoscaling::SimulatedRun;
using report::Column;

constexpr double kSecondsOfHour = 3'600;
constexpr std::size_t kMostSizingRows = 200;

using FieldOf = std::function<report::Cell(std::size_t cell)>;

/// Adds a column to a table with a row for each cell. An axis of the same key gives way.
void add(report::Table& table, Column column, const FieldOf& fieldOf) {
  for (Column& axis : table.columns)
    if (!column.key.empty() && axis.key == column.key) axis.key.insert(0, "axis.");
  table.columns.push_back(std::move(column));
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].push_back(fieldOf(i));
}

/// A number of each run.
template <typename Of>
std::vector<double> ofRuns(const SimulatedCell& cell, Of of) {
  std::vector<double> values;
  for (const SimulatedRun& run : cell.runs)
    values.push_back(of(run));
  return values;
}

report::Cell meanField(const std::vector<double>& values) {
  if (values.empty()) return {};
  const Estimate mean = estimate(values);
  report::Cell field{readableText(mean.mean), rounded(mean.mean)};
  if (const auto share = mean.relativeHalfWidth()) field.aside = halfWidthText(*share);
  return field;
}

report::Cell halfWidthField(const std::vector<double>& values) {
  const auto half = values.empty() ? std::nullopt : estimate(values).half_width;
  return half ? report::Cell{.value = rounded(*half)} : report::Cell{};
}

/// How many of the runs kept a limit, in words after `limit_text`.
report::Cell keptField(const std::vector<double>& values, double limit, std::string limit_text,
                       const std::string& missed) {
  const auto kept = std::ranges::count_if(values, [&](double value) { return value <= limit; });
  const std::int64_t runs = std::ssize(values);
  std::string text = std::to_string(kept) + " of " + std::to_string(runs) + " kept";
  if (kept == runs) text = "kept";
  if (kept == 0) text = missed;
  return {std::move(limit_text) + text,
          rounded(static_cast<double>(kept) / static_cast<double>(runs))};
}

/// As a multiple of a number that is positive where there are runs.
report::Cell ratioField(const std::vector<double>& values, double of) {
  if (values.empty() || of <= 0) return {};
  const double ratio = estimate(values).mean / of;
  return {fixedText(ratio, 2), rounded(ratio)};
}

double secondsOfRun(const SimulatedRun& run) {
  return run.seconds;
}

double costOfRun(const SimulatedRun& run) {
  return run.cost;
}

void addAxes(report::Table& table, const SizingFindings& findings) {
  const std::vector<Axis>& axes = findings.experiment.axes;
  const std::vector<Cell>& cells = findings.cells;
  add(table, {"cell", "Cell", "", report::ColumnKind::kNumber},
      [&](std::size_t i) -> report::Cell { return {.value = cells[i].number}; });
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const bool is_varied = axes[axis].values.size() > 1;
    add(table, {axes[axis].name, is_varied ? axisText(axes, axis) : ""},
        [&, axis](std::size_t i) -> report::Cell { return {cells[i].values[axis]}; });
  }
}

/// A column with the mean of the runs.
void addMean(report::Table& table, const SizingFindings& findings, Column column,
             double (*of)(const SimulatedRun& run)) {
  column.kind = report::ColumnKind::kNumber;
  add(table, std::move(column),
      [&findings, of](std::size_t i) { return meanField(ofRuns(findings.played[i], of)); });
}

/// The same of a number of events, whose interval says nothing.
void addCount(report::Table& table, const SizingFindings& findings, Column column,
              double (*of)(const SimulatedRun& run)) {
  column.kind = report::ColumnKind::kNumber;
  add(table, std::move(column), [&findings, of](std::size_t i) -> report::Cell {
    const auto values = ofRuns(findings.played[i], of);
    if (values.empty()) return {};
    constexpr double kTenths = 10;
    const double mean = estimate(values).mean;
    return {shortText(std::round(kTenths * mean) / kTenths), rounded(mean)};
  });
}

/// A limit, and whether runs kept it. Of one limit its column names it, of several each row does.
struct Limit {
  std::optional<double> Goals::*value;
  std::string key;     // "deadline"
  std::string unit;    // of its key: "Seconds"
  std::string title;   // "Deadline"
  std::string after;   // the number for people: " s"
  std::string missed;  // "missed"
  double (*of)(const SimulatedRun& run);
};

void addLimit(report::Table& table, const SizingFindings& findings, const Limit& limit) {
  const auto& played = findings.played;
  std::set<double> all;
  for (const SimulatedCell& cell : played)
    if (const auto& value = cell.goals.*limit.value) all.insert(*value);
  const auto textOf = [&limit](double value) { return shortText(value) + limit.after; };
  add(table, {limit.key + limit.unit, ""}, [&](std::size_t i) -> report::Cell {
    const auto& value = played[i].goals.*limit.value;
    return value ? report::Cell{.value = rounded(*value)} : report::Cell{};
  });
  const bool is_one = all.size() == 1;
  add(table,
      {limit.key + "Kept", all.empty() ? "" : limit.title, is_one ? textOf(*all.begin()) : ""},
      [&](std::size_t i) -> report::Cell {
        const auto& value = played[i].goals.*limit.value;
        if (!value || played[i].runs.empty()) return {};
        return keptField(ofRuns(played[i], limit.of), *value, is_one ? "" : textOf(*value) + ": ",
                         limit.missed);
      });
}

/// What an hour costs, where not all cells have the same prices.
void addPrices(report::Table& table, const SizingFindings& findings) {
  const auto& played = findings.played;
  const auto number = [&](const std::string& key, double autoscaling::Prices::*price) {
    add(table, {key, ""}, [&, price](std::size_t i) -> report::Cell {
      if (!played[i].goals.hasPrices()) return {};
      return {.value = rounded(played[i].goals.prices.*price)};
    });
  };
  number("workerHourPrice", &autoscaling::Prices::worker_hour);
  number("serverHourPrice", &autoscaling::Prices::server_hour);
  if (pricesTexts(findings).size() < 2) return;
  add(table, {"", "Prices"},
      [&](std::size_t i) -> report::Cell { return {pricesText(played[i].goals.prices)}; });
}

/// What the model knows of a cell's machines and links.
void addConditions(report::Table& table, const SizingFindings& findings) {
  const auto& cells = findings.cells;
  add(table, {"linkBitsPerSecond", ""}, [&](std::size_t i) -> report::Cell {
    const auto& rate = cells[i].conditions.link_bits_per_second;
    return rate ? report::Cell{.value = *rate} : report::Cell{};
  });
  add(table, {"emulated", ""},
      [&](std::size_t i) -> report::Cell { return {.value = cells[i].conditions.is_emulated}; });
  add(table, {"slowdown", ""}, [&](std::size_t i) -> report::Cell {
    return {.value = rounded(cells[i].conditions.slowdown)};
  });
  add(table, {"profile", ""}, [&](std::size_t i) -> report::Cell {
    if (findings.played[i].runs.empty() || findings.profile_files.empty()) return {};
    return {.value = findings.profile_files[findings.played[i].profile]};
  });
}

/// What a simulation says of measured cells.
void addSimulated(report::Table& table, const SizingFindings& findings) {
  const auto& seconds = findings.measured->simulated_seconds;
  const auto& played = findings.played;
  const bool has_any = std::ranges::any_of(seconds, [](const auto& of) { return of.has_value(); });
  const auto number = report::ColumnKind::kNumber;
  add(table, {"simulatedSeconds", has_any ? "Simulated" : "", "s", number},
      [&](std::size_t i) -> report::Cell {
        if (!seconds[i]) return {};
        return {readableText(*seconds[i]), rounded(*seconds[i])};
      });
  add(table, {"timesSimulated", has_any ? "Times simulated" : "", "", number}, [&](std::size_t i) {
    return ratioField(ofRuns(played[i], secondsOfRun), seconds[i].value_or(0));
  });
}

/// What the runs are compared with.
void addReferences(report::Table& table, const SizingFindings& findings) {
  const auto& played = findings.played;
  const auto number = [&](Column column, const FieldOf& fieldOf) {
    column.kind = report::ColumnKind::kNumber;
    add(table, std::move(column), [&played, &fieldOf](std::size_t i) {
      return played[i].runs.empty() ? report::Cell{} : fieldOf(i);
    });
  };
  const auto seconds = [](double of) {
    return of > 0 ? report::Cell{.value = rounded(of)} : report::Cell{};
  };
  number({"bestFixedWorkers", ""}, [&](std::size_t i) -> report::Cell {
    return played[i].best_fixed > 0 ? report::Cell{.value = played[i].best_fixed} : report::Cell{};
  });
  number({"bestFixedSeconds", ""},
         [&](std::size_t i) { return seconds(played[i].best_fixed_seconds); });
  number({"timesBestFixed", "Times best fixed"}, [&](std::size_t i) {
    return ratioField(ofRuns(played[i], secondsOfRun), played[i].best_fixed_seconds);
  });
  number({"clairvoyantSeconds", ""},
         [&](std::size_t i) { return seconds(played[i].clairvoyant_seconds); });
  number({"timesClairvoyant", "Times clairvoyant"}, [&](std::size_t i) {
    return ratioField(ofRuns(played[i], secondsOfRun), played[i].clairvoyant_seconds);
  });
}

}  // namespace

report::Table sizingTable(const SizingFindings& findings) {
  const auto& played = findings.played;
  report::Table table{.caption = std::string(findings.measured == nullptr ? "Simulated: m" : "M") +
                                 "eans of the runs of each cell, with half their 95 % intervals",
                      .most_rows = kMostSizingRows,
                      .noun = "cell"};
  table.rows.resize(findings.cells.size());
  addAxes(table, findings);
  const bool has_stop = findings.experiment.measurement.stop.has_value();
  add(table, {"repetitions", has_stop ? "Runs" : "", "", report::ColumnKind::kNumber},
      [&](std::size_t i) -> report::Cell { return {.value = std::ssize(played[i].runs)}; });
  addMean(table, findings, {"seconds", "Time", "s"}, secondsOfRun);
  add(table, {"secondsHalfWidth95", ""},
      [&](std::size_t i) { return halfWidthField(ofRuns(played[i], secondsOfRun)); });
  if (findings.measured != nullptr) addSimulated(table, findings);
  addMean(table, findings, {"workerHours", "Worker-hours"},
          [](const SimulatedRun& run) { return run.worker_seconds / kSecondsOfHour; });
  addMean(table, findings, {"serverHours", ""},
          [](const SimulatedRun& run) { return run.server_seconds / kSecondsOfHour; });
  if (!pricesTexts(findings).empty()) addMean(table, findings, {"cost", "Cost"}, costOfRun);
  addPrices(table, findings);
  addLimit(
      table, findings,
      {&Goals::deadline_seconds, "deadline", "Seconds", "Deadline", " s", "missed", secondsOfRun});
  addLimit(table, findings, {&Goals::budget, "budget", "", "Budget", "", "exceeded", costOfRun});
  addCount(table, findings, {"changes", "Changes"},
           [](const SimulatedRun& run) { return static_cast<double>(run.changes.size()); });
  addCount(table, findings, {"changingSeconds", "Changing", "s"},
           [](const SimulatedRun& run) { return run.changing_seconds; });
  addReferences(table, findings);
  addConditions(table, findings);
  return table;
}

std::string pricesText(const autoscaling::Prices& prices) {
  if (prices == autoscaling::Prices{}) return "none";
  std::string text = shortText(prices.worker_hour) + " a worker-hour";
  if (prices.server_hour > 0) text += ", " + shortText(prices.server_hour) + " a server-hour";
  return text;
}

std::set<std::string> pricesTexts(const SizingFindings& findings) {
  std::set<std::string> texts;
  for (const SimulatedCell& cell : findings.played)
    if (cell.goals.hasPrices()) texts.insert(pricesText(cell.goals.prices));
  return texts;
}

}  // namespace sumac::experiment
