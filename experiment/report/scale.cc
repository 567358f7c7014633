#include "experiment/report/scale.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"
#include "base/core/table.h"
#include "base/core/units.h"

#include "experiment/report/labels.h"

namespace sumac::experiment {
namespace {

using Json = nlohmann::ordered_json;

std::string csvNumber(const std::optional<double>& value) {
  return value ? Json(rounded(*value)).dump() : std::string();
}

Json phaseJson(const ScalePhase& phase) {
  Json json{{"workers", phase.workers},
            {"beginSeconds", rounded(phase.begin_seconds)},
            {"endSeconds", rounded(phase.end_seconds)},
            {"firstStep", phase.first_step},
            {"lastStep", phase.last_step}};
  if (phase.batches_per_second) json["batchesPerSecond"] = rounded(*phase.batches_per_second);
  return json;
}

Json recordJson(const ScaleRecord& record) {
  Json json = toJson(record);
  json.erase("points");  // in scale.csv
  json["phases"] = Json::array();
  for (const ScalePhase& phase : phasesOf(record))
    json["phases"].push_back(phaseJson(phase));
  return json;
}

/// The rows of one run.
void addRows(std::vector<std::vector<std::string>>& rows, const std::string& cell,
             const std::string& run, const ScaleRecord& record) {
  constexpr int kTenths = 1;
  constexpr int kHundredths = 2;
  const auto phases = phasesOf(record);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const ScalePhase& phase = phases[i];
    const bool has_restart = i > 0 && i <= record.restarts.size();
    rows.push_back(
        {cell, run, fixedText(phase.begin_seconds, kHundredths) + " s",
         std::to_string(phase.workers),
         std::to_string(phase.first_step) + "-" + std::to_string(phase.last_step),
         phase.batches_per_second ? fixedText(*phase.batches_per_second, kTenths) : "-",
         has_restart ? fixedText(record.restarts[i - 1].cost_seconds, kHundredths) + " s" : "-"});
  }
}

}  // namespace

std::string scaleCsv(const std::vector<Cell>& cells, const std::vector<CellOutcome>& outcomes) {
  std::string text = "cell,run,seconds,workers,step,batchesPerSecond,loss\r\n";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    int run = 0;
    for (const RunFigures& figures : outcomes[i].runs) {
      ++run;
      if (!figures.scale) continue;
      for (const ScalePoint& point : figures.scale->points) {
        text += std::to_string(cells[i].number) + "," + std::to_string(run) + "," +
                csvNumber(point.seconds) + "," + std::to_string(point.workers) + "," +
                std::to_string(point.step) + "," + csvNumber(point.batches_per_second) + "," +
                csvNumber(point.loss) + "\r\n";
      }
    }
  }
  return text;
}

std::string scaleTable(const std::vector<Cell>& cells, const std::vector<CellOutcome>& outcomes) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    int run = 0;
    for (const RunFigures& figures : outcomes[i].runs) {
      ++run;
      if (figures.scale)
        addRows(rows, std::to_string(cells[i].number), std::to_string(run), *figures.scale);
    }
  }
  if (rows.empty()) return {};
  return table({"CELL", "RUN", "FROM", "WORKERS", "STEPS", "BATCHES/S", "RESTART"}, rows);
}

std::string scriptText(const std::vector<ScaleStep>& script) {
  std::string text;
  for (const ScaleStep& step : script) {
    text += (text.empty() ? "" : ", ") + counted(step.workers, "worker") + " at " +
            shortText(step.seconds) + " s";
  }
  return text;
}

nlohmann::ordered_json scaleJson(const CellOutcome& outcome) {
  Json runs;
  for (const RunFigures& figures : outcome.runs) {
    if (figures.scale) runs.push_back(recordJson(*figures.scale));
  }
  return runs.is_null() ? runs : Json{{"runs", std::move(runs)}};
}

}  // namespace sumac::experiment
