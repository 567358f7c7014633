#include "experiment/report/tables.h"

#include <algorithm>
#include <cctype>

#include "base/core/table.h"
#include "base/core/units.h"

#include "experiment/document/conditions.h"
#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

using Row = std::vector<std::string>;

/// About four digits, as many as such a measurement has, and never an exponent.
std::string speed(double value) {
  constexpr double kWhole = 1'000;
  constexpr double kTens = 10;
  if (value >= kWhole) return fixedText(value, 0);
  return fixedText(value, value >= kTens ? 1 : 3);
}

/// What is not ASCII has no capitals here: half a word of them would be worse than none.
std::string upper(std::string text) {
  const auto is_ascii = [](unsigned char letter) { return letter < 0x80; };
  if (!std::ranges::all_of(text, is_ascii)) return text;
  for (char& letter : text)
    letter = static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  return text;
}

/// Whether an axis already says in every cell what `text` says of it.
template <typename Text>
bool isSaidByAxis(const std::vector<Axis>& axes, const std::vector<Cell>& cells, Text text) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto is_same = [&](const Cell& cell) { return cell.values[i] == text(cell); };
    if (std::ranges::all_of(cells, is_same)) return true;
  }
  return false;
}

/// Which conditions get a column: those that a cell has and no axis shows.
struct ConditionColumns {
  bool has_link = false;
  bool has_compute = false;
};

ConditionColumns columnsOf(const std::vector<Axis>& axes, const std::vector<Cell>& cells) {
  ConditionColumns columns;
  for (const Cell& cell : cells) {
    columns.has_link |= cell.conditions.link_bits_per_second.has_value();
    columns.has_compute |= cell.conditions.is_emulated;
  }
  columns.has_link &= !isVaried(axes, "link.rate");
  columns.has_compute &=
      !isSaidByAxis(axes, cells, [](const Cell& cell) { return computingText(cell.conditions); });
  return columns;
}

Row headerOf(const std::vector<Axis>& axes, const ConditionColumns& columns) {
  Row header{"CELL"};
  for (const Axis& axis : axes)
    header.push_back(upper(axis.name));
  if (columns.has_link) header.emplace_back("LINK");
  if (columns.has_compute) header.emplace_back("COMPUTING");
  return header;
}

Row rowOf(const Cell& cell, const ConditionColumns& columns) {
  Row row{std::to_string(cell.number)};
  row.insert(row.end(), cell.values.begin(), cell.values.end());
  const auto& rate = cell.conditions.link_bits_per_second;
  if (columns.has_link) row.push_back(rate ? rateText(*rate) : "loopback");
  if (columns.has_compute) row.push_back(computingText(cell.conditions));
  return row;
}

std::string shareText(double share) {
  return " " + halfWidthText(share);
}

/// Speedup or efficiency: their intervals have the same share.
std::string speedupText(const CellSummary& summary, double divisor) {
  if (!summary.speedup) return "-";
  std::string text = fixedText(*summary.speedup / divisor, 2);
  if (summary.speedup_half_width) text += shareText(*summary.speedup_half_width / *summary.speedup);
  return summary.has_idle_base ? text + " " + kIdleBaseMark : text;
}

/// Who failed, and the last that was said of it, which is the cause.
std::string shortCause(const std::string& failure) {
  const std::string first = failure.substr(0, failure.find('\n'));
  const auto last = failure.rfind('\n');
  return last == failure.npos ? first : first + ": " + failure.substr(last + 1);
}

std::string accuracyText(const CellSummary& summary) {
  const auto accuracy = summary.predictionAccuracy();
  if (!accuracy) return "-";
  return fixedText(100 * *accuracy, 1) + (summary.is_fitted ? " % (fitted)" : " %");
}

/// Whether speeds count the batches of all workers, as papers that give each one of its own do.
bool hasWorkerBatches(const Experiment& experiment) {
  return experiment.batch_size_per_worker.has_value() ||
         isVaried(experiment.axes, "batchSizePerWorker");
}

Estimate scaled(Estimate estimate, double factor) {
  estimate.mean *= factor;
  if (estimate.half_width) *estimate.half_width *= factor;
  return estimate;
}

std::string strayNote(const std::vector<CellSummary>& summaries) {
  std::vector<int> cells;
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    if (summaries[i].has_stray_run) cells.push_back(static_cast<int>(i) + 1);
  }
  if (cells.empty()) return {};
  return "In " + cellsText(cells) + " a run was less than half as fast as the others of " +
         (cells.size() == 1 ? "the" : "its") + " cell: was the machine busy?\n";
}

}  // namespace

std::string estimateText(const Estimate& estimate) {
  std::string text = speed(estimate.mean);
  if (const auto share = estimate.relativeHalfWidth()) text += shareText(*share);
  return text;
}

bool hasIntervals(const std::vector<CellSummary>& summaries) {
  return std::ranges::any_of(summaries, [](const CellSummary& summary) {
    return summary.samples_per_second && summary.samples_per_second->half_width;
  });
}

std::string uncertaintyNote(const Experiment& experiment,
                            const std::vector<CellSummary>& summaries) {
  std::string text = strayNote(summaries);
  const auto& stop = experiment.measurement.stop;
  if (!stop) return text;
  const auto is_uncertain = [&stop](const CellSummary& summary) {
    const auto& speed = summary.samples_per_second;
    return speed && speed->relativeHalfWidth().value_or(1) > stop->half_width;
  };
  const auto count = std::ranges::count_if(summaries, is_uncertain);
  if (count == 0) return text;
  return text + counted(count, "cell") + (count == 1 ? " is" : " are") +
         " not known as well as spec.stop asks (" + fixedText(100 * stop->half_width, 1) +
         " %): was the machine busy? More maxRepetitions measure on.\n";
}

std::string predictionNote(const std::vector<CellSummary>& summaries) {
  const auto accuracy = meanAccuracy(summaries);
  if (!accuracy) return {};
  const auto counts = [](const CellSummary& summary) {
    return summary.predictionAccuracy() && !summary.is_fitted;
  };
  return "Predictions are " + fixedText(100 * *accuracy, 1) + " % accurate on average, over " +
         counted(std::ranges::count_if(summaries, counts), "cell") +
         " that they were not fitted to.\n";
}

std::string cellTable(const Experiment& experiment, const std::vector<Cell>& cells,
                      const std::vector<std::optional<double>>& predicted) {
  const ConditionColumns columns = columnsOf(experiment.axes, cells);
  const auto worker_axis = workerAxis(experiment.axes);
  const bool has_workers = !worker_axis || upper(experiment.axes[*worker_axis].name) != "WORKERS";
  Row header = headerOf(experiment.axes, columns);
  if (has_workers) header.emplace_back("WORKERS");
  const bool has_servers = std::ranges::none_of(
      experiment.axes, [](const Axis& axis) { return upper(axis.name) == "SERVERS"; });
  if (has_servers) header.emplace_back("SERVERS");
  header.emplace_back("BATCH SIZE");
  if (!predicted.empty()) header.emplace_back("PREDICTED SAMPLES/S");
  std::vector<Row> rows;
  for (const Cell& cell : cells) {
    Row row = rowOf(cell, columns);
    const int servers = serversOf(cell);
    if (has_workers) row.push_back(workersText(experiment, cell));
    if (has_servers) row.push_back(std::to_string(servers));
    row.push_back(std::to_string(cell.job.training.batch_size));
    if (!predicted.empty()) {
      const auto& batches = predicted.at(static_cast<std::size_t>(&cell - cells.data()));
      const auto batch_size = static_cast<double>(cell.job.training.batch_size);
      row.push_back(batches ? speed(batch_size * *batches) : "-");
    }
    rows.push_back(std::move(row));
  }
  return table(header, rows);
}

std::string resultTable(const Experiment& experiment, const std::vector<Cell>& cells,
                        const std::vector<CellSummary>& summaries) {
  const bool has_worker_batches = hasWorkerBatches(experiment);
  const bool has_speedup = std::ranges::any_of(
      summaries, [](const CellSummary& summary) { return summary.speedup.has_value(); });
  const ConditionColumns columns = columnsOf(experiment.axes, cells);
  Row header = headerOf(experiment.axes, columns);
  header.emplace_back("RUNS");
  header.emplace_back(has_worker_batches ? "WORKER BATCHES/S" : "BATCHES/S");
  header.emplace_back("SAMPLES/S");
  if (has_speedup) header.insert(header.end(), {"SPEEDUP", "EFFICIENCY"});
  const bool has_prediction = std::ranges::any_of(summaries, [](const CellSummary& summary) {
    return summary.predicted_batches_per_second.has_value();
  });
  if (has_prediction) header.insert(header.end(), {"PREDICTED SAMPLES/S", "ACCURACY"});
  std::vector<Row> rows;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    Row row = rowOf(cells[i], columns);
    const CellSummary& summary = summaries[i];
    const double workers = has_worker_batches ? cells[i].job.worker.replicas : 1;
    const auto& batches = summary.batches_per_second;
    row.push_back(std::to_string(batches ? batches->count : 0));
    row.push_back(batches ? estimateText(scaled(*batches, workers)) : "-");
    row.push_back(batches ? estimateText(*summary.samples_per_second) : "-");
    if (has_speedup) {
      row.push_back(speedupText(summary, 1));
      row.push_back(speedupText(summary, cells[i].job.worker.replicas));
    }
    if (has_prediction) {
      const auto predicted = summary.predictedSamplesPerSecond(cells[i]);
      row.push_back(predicted ? speed(*predicted) : "-");
      row.push_back(accuracyText(summary));
    }
    if (!summary.failure.empty()) row.push_back("failed: " + shortCause(summary.failure));
    rows.push_back(std::move(row));
  }
  std::string text = table(header, rows);
  for (const std::string& note : footnotes(summaries))
    text += note + "\n";
  return text;
}

}  // namespace sumac::experiment
