#include "cli/experiment/repeat.h"

#include <algorithm>

#include "cli/terminal/terminal.h"

namespace sumac::cli {
namespace {

/// The command with other results' folder, from the same working directory. What came from standard
/// input, `folder` has.
std::string commandOf(const ExperimentOptions& options, const std::filesystem::path& folder,
                      const std::filesystem::path& output) {
  std::string command = "sumac experiment " + shellWord(options.file);
  for (const std::string& set : options.plan.sets)
    command += " --set " + shellWord(set);
  if (options.plan.most_cells != kMostCells)
    command += " --max-cells " + std::to_string(options.plan.most_cells);
  if (options.plan.is_for_cluster) command += " --cluster" + options.cluster_options;
  if (options.parallel != 1) command += " --parallel " + std::to_string(options.parallel);
  for (const auto& profile : options.predictions.profiles)
    command += " --profile " + shellWord(profile.string());
  for (const int cell : options.predictions.fit)
    command += " --fit " + std::to_string(cell);
  if (!output.empty()) command += " --output-dir " + shellWord(output.string());
  if (options.file == "-") command += " < " + shellWord((folder / "experiment.yaml").string());
  return command;
}

}  // namespace

std::filesystem::path folderOf(const ExperimentOptions& options, const ExperimentPlan& plan) {
  if (!options.output.empty()) return options.output;
  return std::filesystem::path("experiments") / plan.experiment.name;
}

std::string commandToGoOn(const ExperimentOptions& options, const ExperimentPlan& plan) {
  return commandOf(options, folderOf(options, plan), options.output);
}

std::string commandToRepeat(const ExperimentOptions& options, const ExperimentPlan& plan) {
  const auto folder = folderOf(options, plan);
  const bool has_links = std::ranges::any_of(plan.cells, [](const experiment::Cell& cell) {
    return cell.conditions.link_bits_per_second.has_value();
  });
  std::error_code ignored;
  return "cd " + shellWord(std::filesystem::current_path(ignored).string()) + " && " +
         (has_links && !options.plan.is_for_cluster ? "sudo " : "") +
         commandOf(options, folder, folder.string() + "-again");
}

}  // namespace sumac::cli
