#include "cli/experiment/simulate.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/complain.h"
#include "base/core/sha256.h"
#include "base/core/units.h"
#include "base/core/version.h"
#include "base/report/text.h"
#include "cli/document/document.h"
#include "cli/experiment/folder.h"
#include "cli/experiment/kept_profiles.h"
#include "cli/experiment/repeat.h"
#include "cli/experiment/sizing_study.h"
#include "job/document/yaml_writer.h"
#include "job/profile/disturbance.h"

#include "experiment/report/cell_table.h"
#include "experiment/report/sizing_report.h"
#include "experiment/simulate/simulate.h"

namespace sumac::cli {
namespace {

namespace fs = std::filesystem;

ExitCode refuseWrongProfile(std::ostream& err, const Error& error) {
  const bool is_mistake = error.code == ErrorCode::kNotFound;
  return complain(err, error, is_mistake ? ExitCode::kUsage : ExitCode::kBadConfiguration);
}

/// Why a document cannot be simulated; empty if it can.
std::string simulationProblem(const experiment::Experiment& experiment) {
  if (!experiment.scale.empty())
    return "spec.scale cannot be simulated; say how jobs are sized with spec.autoscaling, or leave "
           "out --simulate";
  if (isOfLearning(experiment.measurement.metric))
    return "spec.measure asks what jobs learn, and a simulation only knows how long they take; "
           "leave out --simulate";
  return {};
}

/// Steps of a profile that other work disturbed may take many times as long as they would.
void warnOfDisturbance(const std::vector<JobProfile>& profiles, std::ostream& err) {
  for (const JobProfile& profile : profiles) {
    if (const std::string at = disturbanceText(profile); !at.empty())
      err << "warning: the profile was disturbed, at " << at << std::endl;
  }
}

std::variant<SimulatedBy, ExitCode> profilesFor(const ExperimentOptions& options,
                                                const PreparedExperiment& prepared,
                                                Streams streams) {
  std::vector<fs::path> files = options.predictions.profiles;
  if (files.empty()) {
    auto kept = keptProfiles(options, prepared, streams);
    if (const auto* const code = std::get_if<ExitCode>(&kept)) return *code;
    files = std::get<0>(std::move(kept));
  }
  auto by = readSimulatedBy(files);
  if (!by) return refuseWrongProfile(streams.err, by.error());
  return *std::move(by);
}

/// Nothing that was measured lies in a folder of a simulation, so only the name counts.
FolderIdentity identityOfSimulation(const PreparedExperiment& prepared) {
  std::string all;
  for (const auto& cell : prepared.cells)
    all += experiment::combinationText(prepared.experiment.axes, cell.values) + "\n" +
           cell.resolved.text();
  return {prepared.experiment.name, sha256Hex(asBytes(all)),
          std::to_string(prepared.experiment.measurement.seed), kVersion, kSimulatedMachine};
}

/// Writes all files, and shows the answer.
ExitCode conclude(const ExperimentOptions& options, const std::string& document,
                  const PreparedExperiment& prepared, const SimulatedBy& by, Streams streams) {
  const auto played = experiment::simulateCells(prepared.experiment, prepared.cells, by.profiles);
  const auto folder =
      ExperimentFolder::open(folderOf(options, prepared), identityOfSimulation(prepared));
  if (!folder) {
    const bool is_mistake = folder.error().code == ErrorCode::kConflict;
    return complain(streams.err, folder.error(), is_mistake ? ExitCode::kUsage : ExitCode::kFailed);
  }
  std::vector<std::string> jobs;
  for (const auto& cell : prepared.cells)
    jobs.push_back(job::toYaml(*cell.resolved));
  if (const auto described = folder->describe(document, jobs); !described)
    return complain(streams.err, described.error(), ExitCode::kFailed);
  experiment::Origin origin;
  origin.version = kVersion;
  origin.command = commandToRepeat(options, prepared);
  const auto answer = writeSizing(
      *folder, {prepared.experiment, prepared.cells, played, by.profiles, by.files}, origin);
  if (!answer) return complain(streams.err, answer.error(), ExitCode::kFailed);
  streams.out << report::toText(*answer, options.style) << "\n"
              << folder->report().string()
              << " has the pictures; cells.csv, decisions.csv and results.json beside it have all "
                 "figures."
              << std::endl;
  const bool is_whole =
      std::ranges::all_of(played, [](const auto& cell) { return cell.why_not.empty(); });
  return is_whole ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace

ExitCode simulateExperiment(const ExperimentOptions& options, Streams streams) {
  const auto text = readDocument(options.file, streams.in);
  if (!text) return complain(streams.err, text.error(), ExitCode::kUsage);
  const auto made = prepareExperiment(*text, options.file, options.preparation, streams.err);
  if (const auto* const code = std::get_if<ExitCode>(&made)) return *code;
  const auto& prepared = std::get<PreparedExperiment>(made);
  if (const auto problem = simulationProblem(prepared.experiment); !problem.empty())
    return complain(streams.err, Error{ErrorCode::kUnsupported, problem}, ExitCode::kUsage);
  if (options.is_dry_run) {
    streams.out << report::toText(experiment::planTable(prepared.experiment, prepared.cells, {}),
                                  options.style)
                << "\n"
                << counted(std::ssize(prepared.cells), "cell") << "; nothing was simulated"
                << std::endl;
    return ExitCode::kDone;
  }
  const auto by = profilesFor(options, prepared, streams);
  if (const auto* const code = std::get_if<ExitCode>(&by)) return *code;
  warnOfDisturbance(std::get<0>(by).profiles, streams.err);
  return conclude(options, *text, prepared, std::get<0>(by), streams);
}

}  // namespace sumac::cli
