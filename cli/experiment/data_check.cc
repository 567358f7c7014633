#include "cli/experiment/data_check.h"

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/models/ask_worker.h"

namespace sumac::cli {

Result<void> checkData(const ExperimentPlan& plan, const std::filesystem::path& programs) {
  std::set<std::string> asked;
  for (const experiment::Cell& cell : plan.cells) {
    const auto data = nlohmann::json::parse(cell.resolved).at("spec").at("data");
    if (cell.job.data.generated || !asked.insert(data.dump()).second) continue;
    const auto answer = askWorker(programs, {"data", "info", "/dev/stdin"}, cell.resolved);
    if (answer) continue;
    return Error{answer.error().code,
                 experiment::combinationText(plan.experiment.axes, cell.values) + ": " +
                     answer.error().message + "; nothing was run"};
  }
  return {};
}

}  // namespace sumac::cli
