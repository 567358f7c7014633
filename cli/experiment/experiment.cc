#include "cli/experiment/experiment.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include <sys/utsname.h>

#include <nlohmann/json.hpp>

#include "base/core/complain.h"
#include "base/core/file.h"
#include "base/core/result.h"
#include "base/core/sha256.h"
#include "base/core/version.h"
#include "base/process/processor.h"
#include "base/terminal/terminal.h"
#include "cli/cluster/kept.h"
#include "cli/document/document.h"
#include "cli/experiment/cluster_runner.h"
#include "cli/experiment/dry_run.h"
#include "cli/experiment/folder.h"
#include "cli/experiment/hpa_object.h"
#include "cli/experiment/kept_profiles.h"
#include "cli/experiment/live_view.h"
#include "cli/experiment/local_runner.h"
#include "cli/experiment/prepared_experiment.h"
#include "cli/experiment/repeat.h"
#include "cli/experiment/run_namespace.h"
#include "cli/experiment/runner.h"
#include "cli/experiment/sizing_study.h"
#include "cli/models/worker_memory.h"
#include "cli/programs/ask_program.h"
#include "cli/run/link_scripts.h"
#include "cli/run/links.h"
#include "cli/run/loopback.h"
#include "job/document/yaml_writer.h"
#include "job/profile/profile_json.h"

#include "experiment/report/labels.h"
#include "experiment/report/sizing_report.h"

namespace sumac::cli {
namespace {

/// This machine and this version of Sumac; `command` is what measures again.
experiment::Origin originHere(std::string command) {
  experiment::Origin origin;
  origin.version = kVersion;
  origin.command = std::move(command);
  origin.cpu = processorName();
  origin.cores = usableCores();
  origin.memory_bytes = machineMemory();
  utsname names{};
  if (::uname(&names) == 0) {
    origin.host = names.nodename;
    origin.kernel = std::string(names.sysname) + " " + names.release;
  }
  return origin;
}

/// Whether this machine has the data of all cells: asks sumac-worker in the folder `programs`,
/// which loads each data set once. Fails with the first that cannot be loaded, and names its cell.
Result<void> checkData(const PreparedExperiment& prepared, const std::filesystem::path& programs) {
  std::set<std::string> asked;
  for (const experiment::Cell& cell : prepared.cells) {
    const std::string data = cell.resolved->at("spec").at("data").dump();
    if (cell.job.data.generated || !asked.insert(data).second) continue;
    const auto answer = askWorker(programs, {"data", "info", "/dev/stdin"}, cell.resolved.text());
    if (answer) continue;
    return Error{answer.error().code,
                 experiment::combinationText(prepared.experiment.axes, cell.values) + ": " +
                     answer.error().message + "; nothing was run"};
  }
  return {};
}

/// Where an experiment is measured, for people.
std::string placeOf(const experiment::Origin& origin) {
  if (origin.cluster.empty()) return origin.host + ", " + origin.cpu;
  return "the cluster " + origin.cluster + ", namespace " + origin.name_space;
}

/// Empty where members are as in `sumac run`.
std::string conditionsText(const experiment::Conditions& conditions) {
  std::string text;
  if (conditions.link_bits_per_second)
    text += "link " + std::to_string(*conditions.link_bits_per_second) + "\n";
  if (conditions.is_emulated)
    text += "emulated, slowdown " + std::to_string(conditions.slowdown) + "\n";
  if (conditions.profile.empty()) return text;
  const auto profile = readTextFile(conditions.profile, kMaxProfileBytes);
  text += "profile " + (profile ? sha256Hex(asBytes(*profile)) : profile.error().message) + "\n";
  return text;
}

/// What must not differ between the runs of one folder. Repetitions may: more can be added.
FolderIdentity identityOf(const PreparedExperiment& prepared, const experiment::Origin& origin) {
  const auto& measurement = prepared.experiment.measurement;
  std::string all = std::to_string(measurement.warmup_steps) + "\n";
  if (isOfLearning(measurement.metric)) all += "a seed for each repetition\n";
  if (!prepared.experiment.scale.empty())
    all += experiment::scriptText(prepared.experiment.scale) + "\n";
  if (isSizingStudy(prepared.experiment, prepared.cells))
    all += "sizes, " + experiment::eventsText(prepared.experiment.events) + "\n";
  for (const auto& cell : prepared.cells) {
    all += experiment::combinationText(prepared.experiment.axes, cell.values) + "\n" +
           cell.resolved.text() + conditionsText(cell.conditions);
  }
  return {prepared.experiment.name, sha256Hex(asBytes(all)), std::to_string(measurement.seed),
          origin.version, placeOf(origin)};
}

/// Writes down what is measured.
Result<void> describe(const ExperimentFolder& folder, const std::string& document,
                      const PreparedExperiment& prepared) {
  std::vector<std::string> jobs;
  for (const auto& cell : prepared.cells)
    jobs.push_back(job::toYaml(*cell.resolved));
  return folder.describe(document, jobs);
}

/// Whether what is compared can be measured.
Result<void> checkMeasurable(const PreparedExperiment& prepared, const ExperimentOptions& options) {
  if (!isSizingStudy(prepared.experiment, prepared.cells)) return {};
  return options.preparation.is_for_cluster ? checkSizingOnCluster(prepared, options.parallel)
                                            : checkSizingHere(prepared);
}

/// Whether this machine can have the conditions of all cells.
Result<void> checkConditions(const PreparedExperiment& prepared) {
  const bool is_sizing = isSizingStudy(prepared.experiment, prepared.cells);
  for (const auto& cell : prepared.cells) {
    if (!cell.conditions.link_bits_per_second) continue;
    const int workers =
        std::max(cell.job.worker.replicas, is_sizing ? experiment::workersOf(cell).second : 1);
    const int members = workers + cell.job.server.replicas;
    if (members <= kMostLinks) continue;
    return Error{ErrorCode::kInvalid, "cell " + std::to_string(cell.number) + " has " +
                                          std::to_string(members) + " members; at most " +
                                          std::to_string(kMostLinks) + " can have links of a rate"};
  }
  for (const auto& cell : prepared.cells) {
    if (const auto& rate = cell.conditions.link_bits_per_second) return checkLinks(*rate);
  }
  return {};
}

/// Whether cells in a cluster can have what the experiment asks for.
Result<void> checkForCluster(const PreparedExperiment& prepared) {
  if (prepared.experiment.scale.empty()) return {};
  for (const auto& cell : prepared.cells) {
    if (cell.job.canChangeMembers() || keptBy(*cell.document).checkpoints) continue;
    return Error{ErrorCode::kInvalid,
                 "cell " + std::to_string(cell.number) +
                     ": spec.scale starts the job's pods again, and nothing that they can go on "
                     "from outlives them; set checkpoint.path and a volume, for example --set "
                     "checkpoint.path=/checkpoints --set "
                     "checkpoint.volume.persistentVolumeClaim.claimName=CLAIM"};
  }
  return {};
}

/// A folder of something else was named by mistake; one that is damaged or full is not.
ExitCode refuseFolder(std::ostream& err, const Error& error) {
  const bool is_mistake = error.code == ErrorCode::kConflict;
  return complain(err, error, is_mistake ? ExitCode::kUsage : ExitCode::kFailed);
}

/// A profile that is not there was named by mistake; one that does not fit is no use.
ExitCode refuseProfile(std::ostream& err, const Error& error) {
  const bool is_mistake = error.code == ErrorCode::kNotFound;
  return complain(err, error, is_mistake ? ExitCode::kUsage : ExitCode::kBadConfiguration);
}

/// What a run needs to know before it begins.
struct Ready {
  std::string document;
  PreparedExperiment prepared;
  Predictions predictions;
  std::optional<SizingStudy> sizing;  // of a comparison of sizes
};

/// With the profiles that emulated jobs take the times of their shares from, whatever their sizes
/// come to be; those that `sumac plan` keeps where none are given. Or how measuring them ended.
std::variant<PredictionOptions, ExitCode> predictionsFor(const ExperimentOptions& options,
                                                         const PreparedExperiment& prepared,
                                                         Streams streams) {
  const bool is_emulated = std::ranges::any_of(
      prepared.cells, [](const auto& cell) { return cell.conditions.is_emulated; });
  if (!is_emulated || options.is_dry_run || options.preparation.is_for_cluster ||
      !options.predictions.profiles.empty() || !isSizingStudy(prepared.experiment, prepared.cells))
    return options.predictions;
  if (const auto possible = checkConditions(prepared); !possible)
    return complain(streams.err, possible.error(), ExitCode::kFailed);
  auto kept = keptProfiles(options, prepared, streams);
  if (const auto* const code = std::get_if<ExitCode>(&kept)) return *code;
  PredictionOptions given = options.predictions;
  given.profiles = std::get<0>(std::move(kept));
  return given;
}

/// What a comparison of sizes needs; nothing of another experiment. In a cluster it is not known
/// yet whether that has metrics.
Result<std::optional<SizingStudy>> sizingOf(const PreparedExperiment& prepared, bool is_for_cluster,
                                            const std::vector<std::filesystem::path>& files) {
  if (!isSizingStudy(prepared.experiment, prepared.cells)) return std::optional<SizingStudy>();
  auto by = readSimulatedBy(files);
  if (!by) return by.error();
  SizingStudy sizing{is_for_cluster ? leftOutOnCluster(prepared.cells, /*has_metrics=*/true)
                                    : leftOutHere(prepared.cells),
                     {},
                     *std::move(by)};
  if (!files.empty()) sizing.simulated = simulatedHere(prepared, sizing.by.profiles);
  return std::optional(std::move(sizing));
}

/// Whether it could run, as far as that is known without running anything.
Result<void> checkRun(const ExperimentOptions& options, const PreparedExperiment& prepared) {
  if (options.preparation.is_for_cluster) return checkForCluster(prepared);
  if (const auto possible = checkConditions(prepared); !possible) return possible.error();
  return ExperimentFolder::check(folderOf(options, prepared), identityOf(prepared, originHere({})));
}

/// Reads, checks and predicts; or what the program ends with: a dry run is over then.
std::variant<Ready, ExitCode> getReady(const ExperimentOptions& options, Streams streams) {
  const auto text = readDocument(options.file, streams.in);
  if (!text) return complain(streams.err, text.error(), ExitCode::kUsage);
  auto made = prepareExperiment(*text, options.file, options.preparation, streams.err);
  if (const auto* const code = std::get_if<ExitCode>(&made)) return *code;
  auto& prepared = std::get<PreparedExperiment>(made);
  if (const auto real = checkMeasurable(prepared, options); !real)
    return complain(streams.err, real.error(), ExitCode::kBadConfiguration);
  if (const auto usable = checkOptions(options.predictions, prepared); !usable)
    return complain(streams.err, usable.error(), ExitCode::kUsage);
  if (!options.preparation.is_for_cluster) {
    if (const auto data = checkData(prepared, options.programs); !data)
      return complain(streams.err, data.error(), ExitCode::kBadConfiguration);
  }
  auto given = predictionsFor(options, prepared, streams);
  if (const auto* const code = std::get_if<ExitCode>(&given)) return *code;
  auto& by = std::get<PredictionOptions>(given);
  auto predictions = Predictions::make(by, prepared, options.programs);
  if (!predictions) return refuseProfile(streams.err, predictions.error());
  if (const auto usable = checkFit(options.predictions.fit, predictions->cells()); !usable)
    return complain(streams.err, usable.error(), ExitCode::kUsage);
  predictions->emulateByProfiles(prepared.cells);
  auto sizing = sizingOf(prepared, options.preparation.is_for_cluster, by.profiles);
  if (!sizing) return refuseProfile(streams.err, sizing.error());
  for (const std::string& profile : predictions->basis().disturbed)
    if (*sizing) streams.err << "warning: the profile was disturbed, " << profile << std::endl;
  if (!options.is_dry_run)
    return Ready{*text, std::move(prepared), *std::move(predictions), *std::move(sizing)};
  printDryRun({prepared, *predictions, *sizing}, options.style, streams.out);
  if (const auto possible = checkRun(options, prepared); !possible)
    streams.err << "warning: it could not run like this: " << possible.error().message << std::endl;
  return ExitCode::kDone;
}

/// What a comparison of sizes needs of its cluster. Before there is a folder.
Result<void> prepareCluster(const Cluster& cluster, const PreparedExperiment& prepared,
                            const ExperimentMark& mark, std::optional<SizingStudy>& sizing,
                            std::ostream& err) {
  const auto ready = prepareNamespace(cluster, mark, limitsRoom(prepared.experiment), err);
  if (!ready) return ready.error();
  const bool has_autoscalers = std::ranges::any_of(
      prepared.cells, [](const auto& cell) { return cell.conditions.hpa.has_value(); });
  if (!sizing || !has_autoscalers) return {};
  const auto has_metrics = hasPodMetrics(cluster);
  if (!has_metrics) return has_metrics.error();
  sizing->left_out = leftOutOnCluster(prepared.cells, *has_metrics);
  return {};
}

/// Deletes what an earlier start has left and this one does not need, and says so.
Result<void> tidyUp(ClusterRunner& cells, const PreparedExperiment& prepared,
                    const ExperimentFolder& folder, std::ostream& err) {
  const auto removed = cells.removeLeftovers([&](experiment::RunId run) {
    const bool is_known = run.cell >= 1 && run.cell <= std::ssize(prepared.cells) &&
                          run.repetition >= 1 &&
                          run.repetition <= repetitionsOf(prepared.experiment.measurement).most;
    // Where a job's size changes, the logs of earlier pods and the reasons for its sizes are gone.
    const bool changes =
        !prepared.experiment.scale.empty() || isSizingStudy(prepared.experiment, prepared.cells);
    if (!is_known || changes) return false;
    const auto measured = folder.load(run);
    return measured && !*measured;
  });
  if (!removed) return removed.error();
  for (const std::string& name : *removed)
    err << "deleted the job " << name << ", which an earlier start left" << std::endl;
  return {};
}

}  // namespace

ExitCode runExperiment(const ExperimentOptions& options, const Clock& clock, Streams streams) {
  auto ready = getReady(options, streams);
  if (const auto* const code = std::get_if<ExitCode>(&ready)) return *code;
  auto& [document, prepared, predictions, sizing] = std::get<Ready>(ready);
  if (const auto reachable = checkLoopback(); !reachable)
    return complain(streams.err, reachable.error(), ExitCode::kFailed);
  if (const auto possible = checkConditions(prepared); !possible)
    return complain(streams.err, possible.error(), ExitCode::kFailed);
  auto origin = originHere(commandToRepeat(options, prepared));
  const auto folder =
      ExperimentFolder::open(folderOf(options, prepared), identityOf(prepared, origin));
  if (!folder) return refuseFolder(streams.err, folder.error());
  if (const auto described = describe(*folder, document, prepared); !described)
    return refuseFolder(streams.err, described.error());
  LocalRunner cells(
      {options.programs, prepared.experiment.measurement.warmup_steps, prepared.experiment.scale,
       sizing ? std::optional(prepared.experiment.events) : std::nullopt, options.ask_memory},
      clock);
  return runCells(prepared, *folder,
                  {std::move(origin), std::move(predictions), howToGoOn(options, prepared),
                   options.style, std::move(sizing)},
                  cells, streams);
}

ExitCode runExperimentOnCluster(const ExperimentOptions& options, const Cluster& cluster,
                                const std::stop_token& stop, Streams streams) {
  auto ready = getReady(options, streams);
  if (const auto* const code = std::get_if<ExitCode>(&ready)) return *code;
  auto& [document, prepared, predictions, sizing] = std::get<Ready>(ready);
  if (const auto possible = checkForCluster(prepared); !possible)
    return complain(streams.err, possible.error(), ExitCode::kBadConfiguration);
  if (!options.predictions.profiles.empty()) {
    return complain(streams.err,
                    {ErrorCode::kInvalid,
                     "a profile of this machine says nothing of a cluster; leave out --profile"},
                    ExitCode::kUsage);
  }
  auto origin = originHere(commandToRepeat(options, prepared));
  origin.cluster = cluster.server;
  origin.name_space = cluster.name_space;
  const auto identity = identityOf(prepared, origin);
  const auto path = folderOf(options, prepared);
  std::error_code ignored;
  const auto mark = ExperimentMark::of(prepared.experiment.name, identity.jobs, origin.host,
                                       std::filesystem::absolute(path, ignored).string());
  ClusterRunner cells(cluster,
                      {mark, prepared.experiment.measurement.warmup_steps, options.parallel,
                       prepared.experiment.scale,
                       sizing ? std::optional(prepared.experiment.events) : std::nullopt},
                      stop);
  // Before there is a folder: without the cluster it would stay empty.
  if (const auto reachable = cells.checkCluster(); !reachable)
    return complain(streams.err, reachable.error(), ExitCode::kFailed);
  if (const auto usable = prepareCluster(cluster, prepared, mark, sizing, streams.err); !usable)
    return complain(streams.err, usable.error(), ExitCode::kFailed);
  const auto folder = ExperimentFolder::open(path, identity);
  if (!folder) return refuseFolder(streams.err, folder.error());
  if (const auto described = describe(*folder, document, prepared); !described)
    return refuseFolder(streams.err, described.error());
  if (const auto tidy = tidyUp(cells, prepared, *folder, streams.err); !tidy)
    return complain(streams.err, tidy.error(), ExitCode::kFailed);
  return runCells(prepared, *folder,
                  {std::move(origin), std::move(predictions), howToGoOn(options, prepared),
                   options.style, std::move(sizing)},
                  cells, streams);
}

}  // namespace sumac::cli
