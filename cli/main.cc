#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cli/cluster_commands.h"
#include "cli/document/document.h"
#include "cli/models/worker_memory.h"
#include "cli/models/models.h"
#include "cli/run/run.h"
#include "common/base/version.h"
#include "common/process/exit_code_help.h"
#include "common/process/log_flags.h"
#include "common/process/member_flags.h"
#include "common/process/process_end.h"
#include "common/process/spawn.h"

namespace {

using sumac::toInt;
using sumac::cli::ModelsOptions;
using sumac::cli::RunOptions;
using sumac::member_flags::kLogFormat;
using sumac::member_flags::kLogLevel;

constexpr const char* kRunFooter = R"(
Examples:
  sumac run examples/lenet5-fashion-mini.yaml
  sumac run job.yaml --workers 4 --servers 2 --set training.epochs=10
  sumac run --resume runs/lenet5-fashion-mini-20250131-120000

Ctrl-C stops the run after a checkpoint; a second Ctrl-C stops it at once.

)";

std::string runExitCodes() {
  using sumac::ExitCode;
  return sumac::exitCodeHelp(
      {ExitCode::kDone,
       ExitCode::kFailed,
       ExitCode::kUsage,
       {ExitCode::kLostPeers, "a process was lost; --resume continues the run"},
       {ExitCode::kBadConfiguration, "the job cannot be run"},
       ExitCode::kInterrupted,
       ExitCode::kBrokenInvariant,
       ExitCode::kStopped});
}

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// What stderr is. NO_COLOR (no-color.org) and COLUMNS are honoured.
sumac::cli::Terminal terminal() {
  sumac::cli::Terminal terminal;
  terminal.is_tty = ::isatty(STDERR_FILENO) != 0 && environment("TERM") != "dumb";
  terminal.color = terminal.is_tty && environment("NO_COLOR").empty();
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    terminal.columns = size.ws_col;
  }
  if (const int columns = std::atoi(environment("COLUMNS").c_str()); columns > 0) {
    terminal.columns = columns;
  }
  return terminal;
}

std::string localTime() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return text;
}

/// sumac-server and sumac-worker lie beside this program; tests put others in their place.
std::filesystem::path programsFolder() {
  if (const auto folder = environment("SUMAC_PROGRAMS_DIR"); !folder.empty()) return folder;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

/// Asks sumac-worker how much memory a worker needs.
sumac::cli::AskMemory askMemory() {
  return [](std::vector<std::string> arguments, const std::string& input) {
    return sumac::cli::askWorkerMemory(programsFolder(), std::move(arguments), input);
  };
}

void addRun(CLI::App& app, RunOptions& options) {
  CLI::App* const run = app.add_subcommand("run", "Train a job with processes on this machine");
  auto* const file =
      run->add_option("FILE", options.file, "The TrainingJob; may be left out with --resume")
          ->type_name("")
          ->check(CLI::ExistingFile);
  run->add_option("--set", options.sets, "Change a field of the job, as training.epochs=10")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  run->add_option("--workers", options.workers, "Worker processes instead of worker.replicas")
      ->type_name("N");
  run->add_option("--servers", options.servers, "Server processes instead of server.replicas")
      ->type_name("K");
  auto* const output = run->add_option("--output-dir", options.output,
                                       "New folder for all files of the run [runs/<name>-<time>]")
                           ->type_name("DIR");
  run->add_option("--resume", options.resume,
                  "Go on in this run's folder, from its newest checkpoint")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->excludes(output);
  run->add_option(kLogLevel.name, options.log_level, kLogLevel.help)
      ->type_name(kLogLevel.type)
      ->check(sumac::checkLogLevel);
  run->add_option(kLogFormat.name, options.log_format, kLogFormat.help)
      ->type_name(kLogFormat.type)
      ->check(sumac::checkLogFormat);
  run->footer(kRunFooter + runExitCodes());
  run->callback([file, &options] {
    if (file->count() == 0 && options.resume.empty()) {
      throw CLI::RequiredError("FILE or --resume DIR");
    }
  });
}

/// What the commands that only read documents were asked.
struct DocumentOptions {
  std::string file;
  std::vector<std::string> sets;
  std::string path;
  bool markdown = false;
};

/// Each command leaves in `command` what is to be done once the line has been read.
void addDocumentCommands(CLI::App& app, DocumentOptions& options, std::function<int()>& command) {
  auto* const validate =
      app.add_subcommand("validate", "Check a job document; all problems at once");
  validate->add_option("FILE", options.file, "The TrainingJob; - for standard input")
      ->type_name("")
      ->required();
  validate->add_option("--set", options.sets, "Change a field of the job, as training.epochs=10")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  validate->callback([&options, &command] {
    command = [&options] {
      const sumac::job::Overrides overrides{.sets = options.sets, .workers = {}, .servers = {}};
      return sumac::cli::validate(options.file, overrides, std::cin, std::cout, std::cerr,
                                  askMemory());
    };
  });
  auto* const explain = app.add_subcommand("explain", "Describe a field of the TrainingJob");
  explain->add_option("PATH", options.path, "As spec.strategy; the whole when left out")
      ->type_name("");
  explain->add_flag("--markdown", options.markdown, "All fields as a Markdown document");
  explain->callback([&options, &command] {
    command = [&options] {
      return options.markdown ? sumac::cli::explainAsMarkdown(std::cout)
                              : sumac::cli::explain(options.path, std::cout, std::cerr);
    };
  });
  app.add_subcommand("crd", "Print the CustomResourceDefinition of TrainingJob")
      ->callback([&command] { command = [] { return sumac::cli::crd(std::cout); }; });
}

/// Commands of which sumac-worker reads the rest of the line: `data --help` is its help.
void addWorkerModes(CLI::App& app, std::function<int()>& command) {
  auto* const data =
      app.add_subcommand("data", "Say what is in training data, or make some (data --help)");
  data->set_help_flag();
  data->prefix_command();
  data->callback([data, &command] {
    command = [data] {
      auto arguments = data->remaining();
      arguments.insert(arguments.begin(), data->get_name());
      const auto failure =
          sumac::becomeProgram(programsFolder() / "sumac-worker", std::move(arguments));
      std::cerr << "error: " << failure.message
                << "; it belongs beside sumac, or where SUMAC_PROGRAMS_DIR says" << std::endl;
      return toInt(sumac::ExitCode::kFailed);
    };
  });
}

/// `sumac models` and `sumac models show`.
void addModels(CLI::App& app, ModelsOptions& options, std::function<int()>& command) {
  auto* const models = app.add_subcommand("models", "List the zoo, or show a network's layers");
  auto* const show = models->add_subcommand("show", "Show a network layer by layer");
  show->add_option("MODEL", options.model, "A name of the zoo, or the file of a TrainingJob")
      ->type_name("NAME|FILE")
      ->required();
  for (CLI::App* const each : {models, show}) {
    constexpr int kMostWords = 10'000'000;
    constexpr int kMostTimeSteps = 10'000;
    each->add_option("--vocabulary", options.vocabulary, "Words of a text network")
        ->type_name("N")
        ->check(CLI::Range(2, kMostWords));
    each->add_option("--unroll", options.unroll, "Time steps of a text network")
        ->type_name("T")
        ->check(CLI::Range(1, kMostTimeSteps));
    each->add_option_function<std::string>(
            "-o,--output", [&options](const std::string& form) { options.json = form == "json"; },
            "Form of the output: table or json")
        ->type_name("FORM")
        ->check(CLI::IsMember({"table", "json"}));
  }
  options.ask_memory = askMemory();
  models->callback([show, &options, &command] {
    const bool is_show = show->parsed();
    command = [is_show, &options] {
      return is_show ? sumac::cli::showModel(options, std::cout, std::cerr)
                     : sumac::cli::models(options, std::cout, std::cerr);
    };
  });
}

int runJob(RunOptions& options) {
  options.programs = programsFolder();
  options.time = localTime();
  const sumac::SystemClock clock;
  return toInt(sumac::cli::run(options, clock, {std::cout, std::cerr, terminal()}));
}

int parseAndRun(CLI::App& app, int argc, char** argv, const std::function<int()>& command) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? toInt(sumac::ExitCode::kDone) : toInt(sumac::ExitCode::kUsage);
  }
  return command();
}

/// As a plugin of kubectl: only the commands of a cluster.
int pluginMain(int argc, char** argv) {
  CLI::App app("Training jobs on a Kubernetes cluster.", "kubectl sumac");
  app.set_version_flag("--version", std::string("sumac ") + sumac::kVersion, "Print the version");
  app.require_subcommand(1);
  std::function<int()> command;
  sumac::cli::addClusterCommands(app, "kubectl sumac", command);
  return parseAndRun(app, argc, argv, command);
}

int sumacMain(int argc, char** argv) {
  CLI::App app("Sumac trains neural networks with workers and parameter servers.", "sumac");
  app.set_version_flag("--version", std::string("sumac ") + sumac::kVersion, "Print the version");
  app.require_subcommand(1);
  RunOptions options;
  DocumentOptions document;
  ModelsOptions models;
  std::function<int()> command = [&options] { return runJob(options); };
  addRun(app, options);
  addDocumentCommands(app, document, command);
  addWorkerModes(app, command);
  addModels(app, models, command);
  for (auto* const local : app.get_subcommands({}))
    local->group("On this machine");
  sumac::cli::addClusterCommands(app, "sumac", command);
  return parseAndRun(app, argc, argv, command);
}

}  // namespace

int main(int argc, char** argv) {
  int code = 0;
  const auto failure = sumac::endOfException([&] {
    const bool is_plugin = argc > 0 && std::filesystem::path(argv[0]).filename() == "kubectl-sumac";
    code = is_plugin ? pluginMain(argc, argv) : sumacMain(argc, argv);
  });
  if (!failure) return code;
  std::cerr << "error: " << failure->reason << std::endl;
  return toInt(failure->code);
}
