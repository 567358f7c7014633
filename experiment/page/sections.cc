#include "experiment/page/sections.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/core/units.h"
#include "base/report/html.h"
#include "base/report/numbers.h"

#include "experiment/page/charts.h"
#include "experiment/report/files.h"
#include "experiment/report/labels.h"
#include "experiment/report/ranking.h"
#include "experiment/report/servers_check.h"
#include "experiment/report/tables.h"

namespace sumac::experiment {
namespace {

using report::markup::Field;
using FieldRow = std::vector<Field>;

constexpr const char* kUnknown = "-";

/// Whether links need a column of their own: some are limited, and no axis says how.
bool hasLinks(const Findings& findings) {
  if (isVaried(findings.experiment.axes, "link.rate")) return false;
  return hasLimitedLinks(findings.cells);
}

/// A table whose rows begin with what tells cells apart.
class CellTable {
 public:
  CellTable(const Findings& findings, std::string caption)
      : findings_(findings), has_links_(hasLinks(findings)) {
    table_.caption = std::move(caption);
    addColumn("Cell");
    for (const Axis& axis : findings.experiment.axes)
      table_.columns.push_back({axis.name, false});
    if (!workerAxis(findings.experiment.axes)) addColumn("Workers");
    if (has_links_) table_.columns.push_back({"Link", false});
  }

  /// A column of numbers.
  void addColumn(std::string title) { table_.columns.push_back({std::move(title), true}); }

  /// A row of a cell; Requires a field for each column that was added.
  void addRow(const Cell& cell, const FieldRow& fields) {
    FieldRow row{{std::to_string(cell.number), "",
                  cell.conditions.is_emulated ? computingText(cell.conditions) : ""}};
    for (const std::string& value : cell.values)
      row.push_back({value});
    if (!workerAxis(findings_.experiment.axes))
      row.push_back({workersText(findings_.experiment, cell)});
    if (has_links_) row.push_back({linkText(cell.conditions)});
    row.insert(row.end(), fields.begin(), fields.end());
    table_.rows.push_back(std::move(row));
  }

  bool isEmpty() const { return table_.rows.empty(); }
  std::string html() const { return report::markup::toHtml(table_); }

 private:
  const Findings& findings_;  // outlives us
  const bool has_links_;
  report::markup::Table table_;
};

std::string shareOf(double half_width, double mean) {
  return halfWidthText(half_width / std::abs(mean));
}

Field estimateField(const std::optional<Estimate>& estimate, double factor) {
  if (!estimate) return {kUnknown};
  Field field{readableText(factor * estimate->mean)};
  if (estimate->half_width && estimate->mean != 0)
    field.aside = shareOf(*estimate->half_width, estimate->mean);
  return field;
}

Field speedupField(const CellSummary& summary, double divisor) {
  if (!summary.speedup) return {kUnknown};
  Field field{groupedText(*summary.speedup / divisor, 2)};
  if (summary.speedup_half_width)
    field.aside = shareOf(*summary.speedup_half_width, *summary.speedup);
  if (summary.has_idle_base) field.text += std::string(" ") + kIdleBaseMark;
  return field;
}

std::string drawingsOf(const std::vector<Picture>& pictures) {
  std::vector<report::Drawing> drawings;
  drawings.reserve(pictures.size());
  for (const Picture& picture : pictures)
    drawings.push_back(picture.drawing);
  return drawings.empty() ? "" : report::pictures(drawings);
}

std::string bytesField(double bytes) {
  return bytesText(static_cast<std::uint64_t>(std::llround(std::max(bytes, 0.0))));
}

}  // namespace

std::string speedSection(const Findings& findings) {
  CellTable table(findings,
                  hasIntervals(findings.summaries)
                      ? "Means of the runs of each cell, with half of their 95 % intervals"
                      : "One run of each cell");
  // Where the number of workers changes, so does a worker's batch: only the job's can be counted.
  const bool is_scaled = !findings.experiment.scale.empty();
  for (const char* const title :
       {"Runs", is_scaled ? "Batches/s" : "Worker batches/s", "Samples/s"})
    table.addColumn(title);
  const bool has_speedup = std::ranges::any_of(
      findings.summaries, [](const CellSummary& summary) { return summary.speedup.has_value(); });
  if (has_speedup) {
    table.addColumn("Speedup");
    table.addColumn("Efficiency");
  }
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    const Cell& cell = findings.cells[i];
    const CellSummary& summary = findings.summaries[i];
    const auto& batches = summary.batches_per_second;
    FieldRow row{
        {std::to_string(batches ? batches->count : 0), "", summary.failure.empty() ? "" : "failed"},
        estimateField(batches, is_scaled ? 1 : cell.job.worker.replicas),
        estimateField(summary.samples_per_second, 1)};
    if (has_speedup) {
      row.push_back(speedupField(summary, 1));
      row.push_back(speedupField(summary, cell.job.worker.replicas));
    }
    table.addRow(cell, row);
  }
  std::string notes;
  for (const std::string& note : footnotes(findings.summaries))
    notes += report::paragraph(note);
  for (const std::string& note : linesOf(uncertaintyNote(findings.experiment, findings.summaries)))
    notes += report::paragraph(note);
  return report::section("How fast", drawingsOf(speedPictures(findings)) + table.html() + notes);
}

std::string stepSection(const Findings& findings) {
  constexpr double kMilliseconds = 1'000;
  CellTable table(findings,
                  "Worker 0's milliseconds and bytes a step: the median is over the steps "
                  "of all runs, "
                  "the others are means of the runs; bytes are those of warm-up steps, too");
  for (const char* const title : {"Step, median", "Gradients", "Update", "Waiting for sums",
                                  "Waiting for samples", "Sent", "Received"})
    table.addColumn(title);
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    const CellSummary& summary = findings.summaries[i];
    if (!summary.batches_per_second) continue;
    FieldRow row{{readableText(kMilliseconds * summary.median_step_seconds)}};
    for (const auto phase : {&StepPhases::gradient_seconds, &StepPhases::update_seconds,
                             &StepPhases::sum_wait_seconds, &StepPhases::data_wait_seconds})
      row.push_back(
          {summary.phases ? readableText(kMilliseconds * (*summary.phases).*phase) : kUnknown});
    for (const auto bytes : {&StepBytes::sent, &StepBytes::received})
      row.push_back({summary.bytes ? bytesField((*summary.bytes).*bytes) : kUnknown});
    table.addRow(findings.cells[i], row);
  }
  if (table.isEmpty()) return {};
  return report::section(
      "Where the time goes",
      drawingsOf(phasePictures(findings)) +
          report::paragraph("Waiting for sums is the part of the exchange that computing does not "
                            "hide. " +
                            std::string(findings.experiment.scale.empty()
                                            ? "Times are those of the measured steps."
                                            : "Phases are means over all steps.")) +
          table.html());
}

std::string serversSection(const Findings& findings) {
  const auto checks = serversChecks(findings.experiment, findings.cells, findings.summaries);
  if (checks.empty()) return {};
  std::string content;
  for (const ServersCheck& check : checks)
    content += report::paragraph(toText(check));
  return report::section(
      "How many servers",
      content +
          report::paragraph("S is what a worker sends in a step, B the rate of a link, N the "
                            "number of workers. The lemma takes no account of sums that travel "
                            "back while gradients still come."));
}

std::string predictionSection(const Findings& findings, const std::string& notes) {
  CellTable table(findings, "Samples a second, and 1 - |predicted - measured| / measured");
  for (const char* const title : {"Predicted", "Measured", "Accuracy"})
    table.addColumn(title);
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    const CellSummary& summary = findings.summaries[i];
    const auto predicted = summary.predictedSamplesPerSecond(findings.cells[i]);
    if (!predicted) continue;
    const auto accuracy = summary.predictionAccuracy();
    table.addRow(findings.cells[i],
                 {{readableText(*predicted)},
                  estimateField(summary.samples_per_second, 1),
                  {accuracy ? groupedText(100 * *accuracy, 1) + " %" : std::string(kUnknown), "",
                   summary.is_fitted ? "fitted" : ""}});
  }
  std::string content;
  if (const auto accuracy = meanAccuracy(findings.summaries)) {
    content = report::paragraph("On average the cost model is " + groupedText(100 * *accuracy, 1) +
                                " % accurate, over the cells that it was not fitted to.");
  }
  if (const auto ranking = toText(rankingOf(findings.cells, findings.summaries)); !ranking.empty())
    content += report::paragraph(ranking);
  for (const std::string& note : linesOf(notes))
    content += report::paragraph(note);
  if (!table.isEmpty()) content = drawingsOf(predictionPictures(findings)) + content + table.html();
  return content.empty() ? content : report::section("Prediction beside measurement", content);
}

std::string failureSection(const Findings& findings) {
  std::string content;
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    const std::string& cause = findings.summaries[i].failure;
    if (cause.empty()) continue;
    const Cell& cell = findings.cells[i];
    content += report::paragraph("Cell " + std::to_string(cell.number) + ", " +
                                 cellText(findings.experiment.axes, cell, {}) + ":") +
               report::preformatted(cause);
  }
  return content.empty() ? content : report::section("Failed cells", content);
}

}  // namespace sumac::experiment
