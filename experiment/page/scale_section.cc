#include <string>
#include <vector>

#include "base/core/units.h"
#include "base/report/html.h"
#include "base/report/numbers.h"

#include "experiment/page/charts.h"
#include "experiment/page/sections.h"
#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

/// A run of a cell that has a record.
struct ScaledRun {
  const Cell* cell = nullptr;
  int number = 0;  // from 1
  const ScaleRecord* record = nullptr;
};

std::vector<ScaledRun> scaledRuns(const Findings& findings) {
  std::vector<ScaledRun> scaled;
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    int number = 0;
    for (const RunFigures& run : findings.outcomes[i].runs) {
      ++number;
      if (run.scale) scaled.push_back({&findings.cells[i], number, &*run.scale});
    }
  }
  return scaled;
}

void addPhases(report::markup::Table& table, const Findings& findings, const ScaledRun& run) {
  constexpr int kHundredths = 2;
  const auto phases = phasesOf(*run.record);
  const auto& restarts = run.record->restarts;
  const auto batch_size = static_cast<double>(run.cell->job.training.batch_size);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const ScalePhase& phase = phases[i];
    const auto& speed = phase.batches_per_second;
    const bool has_restart = i > 0 && i <= restarts.size();
    table.rows.push_back(
        {{std::to_string(run.cell->number)},
         {cellText(findings.experiment.axes, *run.cell, {})},
         {std::to_string(run.number)},
         {groupedText(phase.begin_seconds, kHundredths)},
         {std::to_string(phase.workers)},
         {std::to_string(phase.first_step) + " to " + std::to_string(phase.last_step)},
         {speed ? readableText(*speed) : "-"},
         {speed ? readableText(batch_size * *speed) : "-"},
         {has_restart ? groupedText(restarts[i - 1].cost_seconds, kHundredths) : "-"}});
  }
}

/// What the runs of each cell learned: the same, unless the job's exchange depends on its size.
std::string parametersText(const std::vector<ScaledRun>& runs) {
  std::string text;
  for (const ScaledRun& run : runs) {
    text += "cell " + std::to_string(run.cell->number) + ", run " + std::to_string(run.number) +
            ": " + run.record->parameters_sha256 + "\n";
  }
  return text;
}

}  // namespace

std::string scaleSection(const Findings& findings) {
  const auto runs = scaledRuns(findings);
  if (runs.empty()) return {};
  std::vector<report::Drawing> drawings;
  for (const Picture& picture : scalePictures(findings))
    drawings.push_back(picture.drawing);
  report::markup::Table table{
      "Each number of workers from its first step on, and what the change to it cost",
      {{"Cell", true},
       {"Job", false},
       {"Run", true},
       {"From, s", true},
       {"Workers", true},
       {"Steps", true},
       {"Batches/s", true},
       {"Samples/s", true},
       {"Restart, s", true}},
      {}};
  for (const ScaledRun& run : runs)
    addPhases(table, findings, run);
  return report::section(
      "Over time",
      (drawings.empty() ? "" : report::pictures(drawings)) +
          report::paragraph("A restart costs the time from the last step with the old number of "
                            "workers to the first with the new one: the job stops at a checkpoint "
                            "and resumes.") +
          toHtml(table) + report::paragraph("SHA-256 of the final parameters:") +
          report::preformatted(parametersText(runs)));
}

}  // namespace sumac::experiment
