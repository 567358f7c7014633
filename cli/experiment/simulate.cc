#include "cli/experiment/simulate.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/complain.h"
#include "base/core/file.h"
#include "base/core/sha256.h"
#include "base/core/units.h"
#include "base/core/version.h"
#include "base/report/html.h"
#include "base/report/text.h"
#include "base/report/values.h"
#include "cli/document/document.h"
#include "cli/experiment/folder.h"
#include "cli/experiment/predictions.h"
#include "cli/experiment/repeat.h"
#include "cli/plan/kept_profile.h"
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

/// The files of the profiles that `sumac plan` keeps, one for each network; or how measuring ended.
std::variant<std::vector<fs::path>, ExitCode> keptProfiles(const ExperimentOptions& options,
                                                           const PreparedExperiment& prepared,
                                                           Streams streams) {
  const ThisMachine machine = thisMachine(options.programs);
  std::vector<fs::path> files;
  std::set<std::string> networks;
  for (const experiment::Cell& cell : prepared.cells) {
    if (!networks.insert(cell.network + job::toYaml(cell.resolved->at("spec").at("training")))
             .second)
      continue;
    job::Reading reading;
    reading.job = cell.job;
    reading.resolved = cell.resolved;
    reading.document = cell.document;
    const auto here = machine.look(cell.resolved.text());
    if (!here) return complain(streams.err, here.error(), ExitCode::kFailed);
    PlanOptions plan;
    plan.most_workers = experiment::workersOf(cell).second;
    auto kept = keptProfile(plan, reading, *here, machine, streams);
    if (const auto* const code = std::get_if<ExitCode>(&kept)) return *code;
    files.push_back(std::get<fs::path>(std::move(kept)));
  }
  return files;
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

/// What is simulated by.
struct Profiles {
  std::vector<JobProfile> profiles;
  std::vector<std::string> files;
};

/// Of another machine they are as good: it is simulated, then.
std::variant<Profiles, ExitCode> profilesFor(const ExperimentOptions& options,
                                             const PreparedExperiment& prepared, Streams streams) {
  std::vector<fs::path> files = options.predictions.profiles;
  if (files.empty()) {
    auto kept = keptProfiles(options, prepared, streams);
    if (const auto* const code = std::get_if<ExitCode>(&kept)) return *code;
    files = std::get<0>(std::move(kept));
  }
  auto profiles = readProfiles(files, {});
  if (!profiles) return refuseWrongProfile(streams.err, profiles.error());
  Profiles read{*std::move(profiles), {}};
  for (const fs::path& file : files)
    read.files.push_back(file.string());
  return read;
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

Result<report::Report> writeAnswer(const ExperimentFolder& folder,
                                   const experiment::SizingFindings& findings,
                                   const experiment::Origin& origin) {
  folder.removePictures();
  auto answer = experiment::sizingReport(findings, origin);
  std::vector<std::pair<fs::path, std::string>> files{
      {folder.csv(), report::toCsv(experiment::sizingTable(findings))},
      {folder.decisions(), report::toCsv(experiment::changeTable(findings, true))},
      {folder.results(), experiment::sizingJson(findings, origin)},
      {folder.report(), report::toPage(answer.report)}};
  for (const auto& [name, drawing] : answer.pictures)
    files.emplace_back(folder.picture(name), report::svgFile(drawing));
  for (const auto& [file, text] : files) {
    if (const auto written = replaceFile(file, asBytes(text)); !written) return written.error();
  }
  return std::move(answer.report);
}

/// Writes all files, and shows the answer.
ExitCode conclude(const ExperimentOptions& options, const std::string& document,
                  const PreparedExperiment& prepared, const Profiles& profiles, Streams streams) {
  const auto played =
      experiment::simulateCells(prepared.experiment, prepared.cells, profiles.profiles);
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
  const auto answer = writeAnswer(
      *folder, {prepared.experiment, prepared.cells, played, profiles.profiles, profiles.files},
      origin);
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
  const auto prepared = prepareExperiment(*text, options.file, options.preparation, streams.err);
  if (!prepared) return ExitCode::kBadConfiguration;
  if (const auto problem = simulationProblem(prepared->experiment); !problem.empty())
    return complain(streams.err, Error{ErrorCode::kUnsupported, problem}, ExitCode::kUsage);
  if (options.is_dry_run) {
    streams.out << report::toText(experiment::planTable(prepared->experiment, prepared->cells, {}),
                                  options.style)
                << "\n"
                << counted(std::ssize(prepared->cells), "cell") << "; nothing was simulated"
                << std::endl;
    return ExitCode::kDone;
  }
  const auto profiles = profilesFor(options, *prepared, streams);
  if (const auto* const code = std::get_if<ExitCode>(&profiles)) return *code;
  warnOfDisturbance(std::get<0>(profiles).profiles, streams.err);
  return conclude(options, *text, *prepared, std::get<0>(profiles), streams);
}

}  // namespace sumac::cli
