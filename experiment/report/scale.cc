#include "experiment/report/scale.h"

#include <optional>

#include <nlohmann/json.hpp>

#include "base/core/rounded.h"
#include "base/core/units.h"

namespace sumac::experiment {
namespace {

using Json = nlohmann::ordered_json;

std::string csvNumber(const std::optional<double>& value) {
  return value ? Json(rounded(*value)).dump() : std::string();
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

std::string scriptText(const std::vector<ScaleStep>& script) {
  std::string text;
  for (const ScaleStep& step : script) {
    text += (text.empty() ? "" : ", ") + counted(step.workers, "worker") + " at " +
            shortText(step.seconds) + " s";
  }
  return text;
}

}  // namespace sumac::experiment
