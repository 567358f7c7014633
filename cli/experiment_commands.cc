#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/core/clock.h"
#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/log/log.h"
#include "base/process/exit_code_help.h"
#include "base/process/stop_signal.h"
#include "base/terminal/terminal.h"
#include "cli/cluster/connect.h"
#include "cli/commands.h"
#include "cli/experiment/experiment.h"
#include "cli/experiment/simulate.h"
#include "cli/models/worker_memory.h"
#include "cli/programs/programs.h"
#include "cli/set_option.h"
#include "kube/client/config.h"

namespace sumac::cli {
namespace {

constexpr const char* kExperimentFooter = R"(
Examples:
  sumac experiment examples/experiments/ring-vs-server.yaml --dry-run
  sumac experiment examples/experiments/ring-vs-server.yaml
  sumac experiment examples/experiments/autoscaling.yaml --simulate
  sumac experiment study.yaml --cluster --parallel 2 -n research
  sumac experiment experiment.yaml --profile job.profile.json
  sumac explain experiment.spec

Ctrl-C stops and keeps what was measured; the same command goes on with it, and tries again what
failed.

)";

std::string experimentExitCodes() {
  return exitCodeHelp({ExitCode::kDone,
                       {ExitCode::kFailed,
                        "a cell failed, or a file of the folder is damaged, or this machine "
                        "lacks a tool"},
                       ExitCode::kUsage,
                       {ExitCode::kBadConfiguration,
                        "nothing was run: a cell's job or data cannot be used, or there are too "
                        "many cells"},
                       ExitCode::kInterrupted,
                       ExitCode::kBrokenInvariant,
                       ExitCode::kStopped});
}

int runOnCluster(const ExperimentOptions& options, const kube::ConfigOptions& config,
                 Streams streams) {
  // Not that of the connection: once a stop is asked for, jobs are still to be deleted.
  std::stop_source stop;
  blockStopSignals();
  const StopSignal signal([&stop] {
    if (!stop.request_stop()) std::_Exit(toInt(ExitCode::kInterrupted));
    std::cerr << "stopping: deleting the jobs under way; again to leave them" << std::endl;
  });
  const auto connection = connect(config, std::stop_token(), Log::toStderr(LogLevel::kError));
  if (!connection) return toInt(complain(streams.err, connection.error(), ExitCode::kUsage));
  return toInt(
      runExperimentOnCluster(options, (*connection)->cluster(), stop.get_token(), streams));
}

/// The options that choose the cluster, as the command to repeat needs them.
std::string clusterOptions(const kube::ConfigOptions& config) {
  std::string text;
  const auto add = [&text](const char* option, const std::string& value) {
    if (!value.empty()) text += std::string(" ") + option + " " + shellWord(value);
  };
  add("--kubeconfig", config.kubeconfig);
  add("--context", config.context);
  add("-n", config.name_space);
  return text;
}

int runIt(ExperimentOptions& options, const kube::ConfigOptions& config) {
  options.style = textStyleOf(STDOUT_FILENO);
  options.cluster_options = clusterOptions(config);
  options.programs = programsFolder();
  options.ask_memory = [programs = options.programs](std::vector<std::string> arguments,
                                                     const std::string& input) {
    return askWorkerMemory(programs, std::move(arguments), input);
  };
  const Terminal terminal{isTerminal(STDERR_FILENO), hasColor(STDERR_FILENO),
                          columnsOf(STDERR_FILENO)};
  const Streams streams{std::cin, std::cout, std::cerr, terminal};
  if (options.preparation.is_for_cluster && !options.is_dry_run)
    return runOnCluster(options, config, streams);
  return withPrograms(std::cerr, [&](const std::filesystem::path&) {
    return toInt(options.is_simulated ? simulateExperiment(options, streams)
                                      : runExperiment(options, SystemClock(), streams));
  });
}

/// Where the cells run, and the options that choose the cluster, named as in kubectl.
void addCluster(CLI::App& app, ExperimentOptions& options, kube::ConfigOptions& config) {
  constexpr int kMostParallel = 1'000;
  constexpr const char* kOnCluster = "On a cluster";
  auto* const cluster =
      app.add_flag("--cluster", options.preparation.is_for_cluster,
                   "Run the cells as TrainingJobs of the current context and namespace")
          ->excludes("--simulate")
          ->group(kOnCluster);
  app.add_option("--parallel", options.parallel, "Jobs at the same time")
      ->type_name("N")
      ->check(CLI::Range(1, kMostParallel))
      ->capture_default_str()
      ->needs(cluster)
      ->group(kOnCluster);
  const auto add = [&](const char* option, std::string& to, const char* what, const char* type) {
    app.add_option(option, to, what)->type_name(type)->needs(cluster)->group(kOnCluster);
  };
  add("-n,--namespace", config.name_space,
      "Namespace of the jobs [the context's]; made for events of room if it does not exist",
      "NAMESPACE");
  add("--kubeconfig", config.kubeconfig, "Where clusters are listed [$KUBECONFIG, ~/.kube/config]",
      "FILE");
  add("--context", config.context, "Context of the kubeconfig [its current one]", "NAME");
}

}  // namespace

void addExperiment(CLI::App& app, std::function<int()>& command) {
  constexpr int kMostCellsEver = 100'000;
  const auto options = std::make_shared<ExperimentOptions>();
  const auto config = std::make_shared<kube::ConfigOptions>();
  auto* const experiment =
      app.add_subcommand("experiment", "Measure a job in all combinations of some values");
  experiment->add_option("FILE", options->file, "The Experiment; - reads standard input")
      ->type_name("")
      ->required();
  addSet(*experiment, options->preparation.sets);
  experiment
      ->add_option("--profile", options->predictions.profiles,
                   "Predict the cells by a profile of sumac profile; may be given several times")
      ->type_name("FILE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  experiment
      ->add_option("--fit", options->predictions.fit,
                   "Fit the predictions' costs to these cells, by number, once they are measured")
      ->type_name("CELLS")
      ->delimiter(',')
      ->check([](const std::string& value) {
        const bool is_number =
            !value.empty() && value.find_first_not_of("0123456789") == value.npos;
        return is_number ? std::string() : "`" + value + "` is no number of a cell, as in 1,2,5";
      });
  experiment
      ->add_option("--only", options->preparation.only,
                   "Leave out other values of an axis; may be given several times")
      ->type_name("AXIS=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  experiment
      ->add_flag("--simulate", options->is_simulated,
                 "Play the jobs on virtual time, as a profile predicts their steps: nothing runs")
      ->excludes("--fit");
  experiment->add_flag("--dry-run", options->is_dry_run, "List the cells and run nothing");
  experiment
      ->add_option("--max-cells", options->preparation.most_cells,
                   "Refuse an experiment with more cells")
      ->type_name("N")
      ->check(CLI::Range(1, kMostCellsEver))
      ->capture_default_str();
  experiment
      ->add_option("--output-dir", options->output,
                   "Folder of the results, new or of this experiment [experiments/<name>]")
      ->type_name("DIR")
      ->check(folderNameProblem);
  addCluster(*experiment, *options, *config);
  experiment->footer(kExperimentFooter + experimentExitCodes());
  experiment->callback([options, config, &command] {
    command = [options, config] { return runIt(*options, *config); };
  });
}

}  // namespace sumac::cli
