#include "cli/experiment/repeat.h"

#include "base/core/units.h"
#include "base/terminal/terminal.h"

namespace sumac::cli {
namespace {

/// The command with other results' folder, from the same working directory. What came from standard
/// input, `folder` has.
std::string commandOf(const ExperimentOptions& options, const std::filesystem::path& folder,
                      const std::filesystem::path& output) {
  std::string command = "sumac experiment " + shellWord(options.file);
  for (const std::string& set : options.preparation.sets)
    command += " --set " + shellWord(set);
  if (options.preparation.most_cells != kMostCells)
    command += " --max-cells " + std::to_string(options.preparation.most_cells);
  for (const std::string& only : options.preparation.only)
    command += " --only " + shellWord(only);
  if (options.is_simulated) command += " --simulate";
  if (options.preparation.is_for_cluster) command += " --cluster" + options.cluster_options;
  if (options.parallel != 1) command += " --parallel " + std::to_string(options.parallel);
  for (const auto& profile : options.predictions.profiles)
    command += " --profile " + shellWord(profile.string());
  for (const int cell : options.predictions.fit)
    command += " --fit " + std::to_string(cell);
  if (!output.empty()) command += " --output-dir " + shellWord(output.string());
  if (options.file == "-") command += " < " + shellWord((folder / "experiment.yaml").string());
  return command;
}

/// Another folder beside this one, whatever its name ends with.
std::filesystem::path nextTo(const std::filesystem::path& folder) {
  std::error_code ignored;
  auto path = folder.lexically_normal();
  if (path == "." || path.filename() == "..")  // their names are not known from the text
    path = std::filesystem::absolute(path, ignored).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  return path.string() + "-again";
}

}  // namespace

std::filesystem::path folderOf(const ExperimentOptions& options,
                               const PreparedExperiment& prepared) {
  if (!options.output.empty()) return options.output;
  return std::filesystem::path("experiments") /
         (prepared.experiment.name + (options.is_simulated ? "-simulated" : ""));
}

std::string howToGoOn(const ExperimentOptions& options, const PreparedExperiment& prepared) {
  const bool needs_root =
      !options.preparation.is_for_cluster && experiment::hasLimitedLinks(prepared.cells);
  return (needs_root ? ", as root:\n  " : ":\n  ") +
         commandOf(options, folderOf(options, prepared), options.output);
}

std::string commandToRepeat(const ExperimentOptions& options, const PreparedExperiment& prepared) {
  const auto folder = folderOf(options, prepared);
  std::error_code ignored;
  return "cd " + shellWord(std::filesystem::current_path(ignored).string()) + " && " +
         commandOf(options, folder, nextTo(folder));
}

std::string keptText(int used, int there) {
  std::string text;
  if (used > 0) text = "; " + counted(used, "run") + " of an earlier start kept";
  if (there > used) {
    const int beyond = there - used;
    text += "; " + counted(beyond, "run") + " beyond the repetitions " +
            (beyond == 1 ? "is" : "are") + " kept and not used; raise spec.repetitions to use " +
            (beyond == 1 ? "it" : "them");
  }
  return text;
}

std::string nothingMeasuredText(std::int64_t failed) {
  std::string text = "no run was measured yet";
  if (failed > 0) text += ", and " + counted(failed, "cell") + " failed, with the causes above";
  return text;
}

std::string failureText(std::int64_t failed) {
  return "error: " + counted(failed, "cell") +
         " failed; once the cause is gone, the same command tries " +
         (failed == 1 ? "it" : "them") + " again";
}

}  // namespace sumac::cli
