#include "experiment/report/cells_csv.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"

#include "experiment/report/files.h"
#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

/// A field of a CSV line, quoted where its text needs that.
std::string csvField(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text)
    quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields)
    line += (&field == &fields.front() ? "" : ",") + csvField(field);
  return line + "\r\n";
}

/// The columns of cells.csv after those of the axes; the last four where there are predictions.
constexpr const char* kColumns[] = {"workers",
                                    "servers",
                                    "batchSize",
                                    "linkBitsPerSecond",
                                    "emulated",
                                    "slowdown",
                                    "repetitions",
                                    "batchesPerSecond",
                                    "batchesPerSecondHalfWidth95",
                                    "workerBatchesPerSecond",
                                    "workerBatchesPerSecondHalfWidth95",
                                    "samplesPerSecond",
                                    "samplesPerSecondHalfWidth95",
                                    "medianStepSeconds",
                                    "speedup",
                                    "speedupHalfWidth95",
                                    "efficiency",
                                    "speedupBaseExchanges",
                                    "failure",
                                    "predictedBatchesPerSecond",
                                    "predictedSamplesPerSecond",
                                    "predictionAccuracy",
                                    "fitted"};
constexpr std::size_t kPredictionColumns = 4;
constexpr const char* kFirstColumn = "cell";

/// An axis may be named like one of our columns: readers of CSV find columns by name.
std::string axisColumn(const std::string& axis) {
  const bool is_taken =
      axis == kFirstColumn || std::ranges::find(kColumns, axis) != std::end(kColumns);
  return is_taken ? "axis." + axis : axis;
}

std::string numberText(double value) {
  return nlohmann::json(rounded(value)).dump();
}

std::string numberText(const std::optional<double>& value) {
  return value ? numberText(*value) : std::string();
}

void addEstimate(std::vector<std::string>& fields, const std::optional<Estimate>& estimate,
                 double factor) {
  fields.push_back(estimate ? numberText(factor * estimate->mean) : "");
  const bool has_width = estimate && estimate->half_width;
  fields.push_back(has_width ? numberText(factor * *estimate->half_width) : "");
}

/// Many readers of CSV know no field of several lines.
std::string inALine(const std::string& text) {
  std::string line;
  for (const std::string& part : linesOf(text))
    line += (line.empty() ? "" : "; ") + part;
  std::erase(line, '\r');
  return line;
}

void addPrediction(std::vector<std::string>& fields, const Cell& cell, const CellSummary& summary) {
  fields.push_back(numberText(summary.predicted_batches_per_second));
  fields.push_back(numberText(summary.predictedSamplesPerSecond(cell)));
  fields.push_back(numberText(summary.predictionAccuracy()));
  fields.emplace_back(summary.is_fitted ? "true" : "false");
}

void addConditions(std::vector<std::string>& fields, const Conditions& conditions) {
  const auto& rate = conditions.link_bits_per_second;
  fields.push_back(rate ? std::to_string(*rate) : "");
  fields.emplace_back(conditions.is_emulated ? "true" : "false");
  fields.push_back(conditions.is_emulated ? numberText(conditions.slowdown) : "");
}

}  // namespace

std::string cellsCsv(const Experiment& experiment, const std::vector<Cell>& cells,
                     const std::vector<CellSummary>& summaries) {
  std::vector<std::string> header{kFirstColumn};
  for (const Axis& axis : experiment.axes)
    header.push_back(axisColumn(axis.name));
  const bool has_prediction = std::ranges::any_of(summaries, [](const CellSummary& summary) {
    return summary.predicted_batches_per_second.has_value();
  });
  header.insert(header.end(), std::begin(kColumns),
                std::end(kColumns) - (has_prediction ? 0 : kPredictionColumns));
  const bool is_scaled = !experiment.scale.empty();  // then no number of workers is that of all
  std::string text = csvLine(header);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    const CellSummary& summary = summaries[i];
    const auto& batches = summary.batches_per_second;
    std::vector<std::string> fields{std::to_string(cell.number)};
    fields.insert(fields.end(), cell.values.begin(), cell.values.end());
    fields.push_back(is_scaled ? "" : std::to_string(cell.job.worker.replicas));
    fields.push_back(std::to_string(serversOf(cell)));
    fields.push_back(std::to_string(cell.job.training.batch_size));
    addConditions(fields, cell.conditions);
    fields.push_back(std::to_string(batches ? batches->count : 0));
    addEstimate(fields, batches, 1);
    addEstimate(fields, is_scaled ? std::nullopt : batches, cell.job.worker.replicas);
    addEstimate(fields, batches, static_cast<double>(cell.job.training.batch_size));
    fields.push_back(batches ? numberText(summary.median_step_seconds) : "");
    fields.push_back(numberText(summary.speedup));
    fields.push_back(numberText(summary.speedup_half_width));
    fields.push_back(numberText(summary.efficiency));
    fields.emplace_back(!summary.speedup ? "" : summary.has_idle_base ? "false" : "true");
    fields.push_back(inALine(summary.failure));
    if (has_prediction) addPrediction(fields, cell, summary);
    text += csvLine(fields);
  }
  return text;
}

}  // namespace sumac::experiment
