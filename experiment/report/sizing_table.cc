#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <utility>

#include "base/core/rounded.h"
#include "base/core/units.h"
#include "planner/report/autoscaling_words.h"

#include "experiment/measure/statistics.h"
#include "experiment/report/labels.h"
#include "experiment/report/sizing_report.h"

namespace sumac::experiment {
namespace {

using autoscaling::SimulatedRun;
using report::Column;

constexpr double kSecondsOfHour = 3'600;
constexpr std::size_t kMostSizingRows = 200;
constexpr std::size_t kMostChangeRows = 60;

using FieldOf = std::function<report::Cell(std::size_t cell)>;

/// Adds a column to a table with a row for each cell.
void add(report::Table& table, Column column, const FieldOf& fieldOf) {
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

/// How many of the runs kept a limit, and in words.
report::Cell keptField(const std::vector<double>& values, std::optional<double> limit,
                       const std::string& missed) {
  if (!limit || values.empty()) return {};
  const auto kept = std::ranges::count_if(values, [&](double value) { return value <= *limit; });
  const std::int64_t runs = std::ssize(values);
  std::string text = std::to_string(kept) + " of " + std::to_string(runs) + " kept";
  if (kept == runs) text = "kept";
  if (kept == 0) text = missed;
  return {text, rounded(static_cast<double>(kept) / static_cast<double>(runs))};
}

/// As a multiple of a number that is positive where there are runs.
report::Cell ratioField(const std::vector<double>& values, double of) {
  if (values.empty()) return {};
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

/// Limits, and whether runs kept them; for people where there are any.
void addLimits(report::Table& table, const SizingFindings& findings) {
  const auto& played = findings.played;
  const auto has = [&played](auto goal) {
    return std::ranges::any_of(
        played, [goal](const SimulatedCell& cell) { return (cell.goals.*goal).has_value(); });
  };
  const auto limit = [&](const std::string& key, auto goal) {
    add(table, {key, ""}, [&played, goal](std::size_t i) -> report::Cell {
      const auto& value = played[i].goals.*goal;
      return value ? report::Cell{.value = rounded(*value)} : report::Cell{};
    });
  };
  limit("deadlineSeconds", &Goals::deadline_seconds);
  add(table, {"deadlineKept", has(&Goals::deadline_seconds) ? "Deadline" : ""},
      [&played](std::size_t i) {
        return keptField(ofRuns(played[i], secondsOfRun), played[i].goals.deadline_seconds,
                         "missed");
      });
  limit("budget", &Goals::budget);
  add(table, {"budgetKept", has(&Goals::budget) ? "Budget" : ""}, [&played](std::size_t i) {
    return keptField(ofRuns(played[i], costOfRun), played[i].goals.budget, "exceeded");
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
  number({"bestFixedWorkers", ""},
         [&](std::size_t i) -> report::Cell { return {.value = played[i].best_fixed}; });
  number({"bestFixedSeconds", ""}, [&](std::size_t i) -> report::Cell {
    return {.value = rounded(played[i].best_fixed_seconds)};
  });
  number({"timesBestFixed", "Times best fixed"}, [&](std::size_t i) {
    return ratioField(ofRuns(played[i], secondsOfRun), played[i].best_fixed_seconds);
  });
  number({"clairvoyantSeconds", ""}, [&](std::size_t i) -> report::Cell {
    return {.value = rounded(played[i].clairvoyant_seconds)};
  });
  number({"timesClairvoyant", "Times clairvoyant"}, [&](std::size_t i) {
    return ratioField(ofRuns(played[i], secondsOfRun), played[i].clairvoyant_seconds);
  });
}

bool hasPrices(const SizingFindings& findings) {
  return std::ranges::any_of(findings.played,
                             [](const SimulatedCell& cell) { return cell.goals.hasPrices(); });
}

}  // namespace

report::Table sizingTable(const SizingFindings& findings) {
  const auto& played = findings.played;
  report::Table table{.caption =
                          "Simulated: means of the runs of each cell, with half their 95 % "
                          "intervals",
                      .most_rows = kMostSizingRows,
                      .noun = "cell"};
  table.rows.resize(findings.cells.size());
  addAxes(table, findings);
  addMean(table, findings, {"seconds", "Time", "s"}, secondsOfRun);
  add(table, {"secondsHalfWidth95", ""},
      [&](std::size_t i) { return halfWidthField(ofRuns(played[i], secondsOfRun)); });
  addMean(table, findings, {"workerHours", "Worker-hours"},
          [](const SimulatedRun& run) { return run.worker_seconds / kSecondsOfHour; });
  addMean(table, findings, {"serverHours", ""},
          [](const SimulatedRun& run) { return run.server_seconds / kSecondsOfHour; });
  if (hasPrices(findings)) addMean(table, findings, {"cost", "Cost"}, costOfRun);
  addLimits(table, findings);
  addCount(table, findings, {"changes", "Changes"},
           [](const SimulatedRun& run) { return static_cast<double>(run.changes.size()); });
  addCount(table, findings, {"changingSeconds", "Changing", "s"},
           [](const SimulatedRun& run) { return run.changing_seconds; });
  addReferences(table, findings);
  return table;
}

report::Table changeTable(const SizingFindings& findings) {
  const auto& [experiment, cells, played] = findings;
  constexpr auto kFigure = report::ColumnKind::kNumber;
  report::Table table{.caption = "Changes of size in the first run of each cell",
                      .columns = {{"", "Cell", "", kFigure},
                                  {"", "Sizing"},
                                  {"seconds", "At", "s", kFigure},
                                  {"from", "From", "", kFigure},
                                  {"to", "To", "", kFigure},
                                  {"reason", "Why", "", report::ColumnKind::kSentence}},
                      .most_rows = kMostChangeRows,
                      .noun = "change"};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (played[i].runs.empty()) continue;
    for (const autoscaling::SizeChange& change : played[i].runs.front().changes) {
      table.rows.push_back({{.value = cells[i].number},
                            {cellText(experiment.axes, cells[i], {})},
                            {groupedText(change.at, 1), rounded(change.at)},
                            {.value = change.from},
                            {.value = change.to},
                            {reasonText(change.reason), reasonCode(change.reason)}});
    }
  }
  return table;
}

std::string reasonCode(autoscaling::Reason reason) {
  return autoscaling::isChange(reason) ? std::string(planner::reasonName(reason)) : "ProcessorTime";
}

std::string reasonText(autoscaling::Reason reason) {
  using autoscaling::Reason;
  switch (reason) {
    case Reason::kSavesTime: return "saves time";
    case Reason::kSavesCost: return "saves cost";
    case Reason::kDeadline: return "the deadline would be missed";
    case Reason::kBudget: return "the budget would be exceeded";
    case Reason::kTarget: return "efficiency is below its target";
    case Reason::kRoom: return "there is no room for more";
    case Reason::kBounds: return "the size is out of bounds";
    default: return "processor time of the workers";
  }
}

}  // namespace sumac::experiment
