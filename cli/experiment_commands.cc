#include "cli/experiment_commands.h"

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "cli/experiment/experiment.h"
#include "cli/models/worker_memory.h"
#include "cli/programs_folder.h"
#include "cli/set_option.h"
#include "cli/terminal/terminal.h"
#include "common/base/clock.h"
#include "common/base/exit_code.h"
#include "common/process/exit_code_help.h"

namespace sumac::cli {
namespace {

constexpr const char* kExperimentFooter = R"(
Examples:
  sumac experiment examples/experiments/ring-vs-server.yaml --dry-run
  sumac experiment examples/experiments/ring-vs-server.yaml
  sumac explain experiment.spec

Ctrl-C stops and keeps what was measured; the same command goes on with it, and tries again what
failed.

)";

std::string experimentExitCodes() {
  return exitCodeHelp({ExitCode::kDone,
                       {ExitCode::kFailed, "a cell failed; the others were measured"},
                       ExitCode::kUsage,
                       {ExitCode::kBadConfiguration, "a cell's job cannot be run; nothing was run"},
                       ExitCode::kInterrupted,
                       ExitCode::kBrokenInvariant,
                       ExitCode::kStopped});
}

int runIt(ExperimentOptions& options) {
  options.programs = programsFolder();
  options.ask_memory = [programs = options.programs](std::vector<std::string> arguments,
                                                     const std::string& input) {
    return askWorkerMemory(programs, std::move(arguments), input);
  };
  const Terminal terminal{isTerminal(STDERR_FILENO), hasColor(STDERR_FILENO),
                          columnsOf(STDERR_FILENO)};
  return toInt(runExperiment(options, SystemClock(), {std::cin, std::cout, std::cerr, terminal}));
}

}  // namespace

void addExperiment(CLI::App& app, std::function<int()>& command) {
  constexpr int kMostCellsEver = 100'000;
  const auto options = std::make_shared<ExperimentOptions>();
  auto* const experiment =
      app.add_subcommand("experiment", "Measure a job in all combinations of some values");
  experiment->add_option("FILE", options->file, "The Experiment; - reads standard input")
      ->type_name("")
      ->required();
  addSet(*experiment, options->plan.sets);
  experiment->add_flag("--dry-run", options->is_dry_run, "List the cells and run nothing");
  experiment
      ->add_option("--max-cells", options->plan.most_cells, "Refuse an experiment with more cells")
      ->type_name("N")
      ->check(CLI::Range(1, kMostCellsEver))
      ->capture_default_str();
  experiment
      ->add_option("--output-dir", options->output,
                   "Folder of the results, new or of this experiment [experiments/<name>]")
      ->type_name("DIR")
      ->check([](const std::string& value) {
        return value.empty() ? std::string("must not be empty") : std::string();
      });
  experiment->footer(kExperimentFooter + experimentExitCodes());
  experiment->callback([options, &command] { command = [options] { return runIt(*options); }; });
}

}  // namespace sumac::cli
