#include <ctime>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/core/clock.h"
#include "base/core/complain.h"
#include "base/core/exit_code.h"
#include "base/core/file.h"
#include "base/process/exit_code_help.h"
#include "base/process/log_flags.h"
#include "base/process/member_flags.h"
#include "base/terminal/terminal.h"
#include "base/trace/step_range.h"
#include "cli/commands.h"
#include "cli/completion/scripts.h"
#include "cli/document/document.h"
#include "cli/experiment/prepared_experiment.h"
#include "cli/fetch/data_sets.h"
#include "cli/fetch/fetch.h"
#include "cli/models/models.h"
#include "cli/models/worker_memory.h"
#include "cli/programs/ask_program.h"
#include "cli/programs/programs.h"
#include "cli/run/run.h"
#include "cli/set_option.h"

#include "experiment/document/kind.h"

namespace sumac::cli {
namespace {

constexpr const char* kGroup = "On this machine";

constexpr const char* kRunFooter = R"(
Examples:
  sumac run examples/lenet5-fashion-mini.yaml
  sumac run job.yaml --workers 4 --servers 2 --set training.epochs=10
  sumac run --resume runs/lenet5-fashion-mini-20250131-120000
  sumac run --workers 2 --parts 8 --batch 256 --epochs 10 -- python train.py

A command after -- is your own program, which trains with Sumac's library: each worker is a process
of it. What the command is given stays as it is.

The trained weights have the same bits for any --workers and --servers. They depend on V
(training.logicalWorkers). A file that does not set it takes V from its worker.replicas, so
editing that number there changes the bits; --workers does not.

A process that is killed or crashes is started again, and the others train on meanwhile, with the
same bits; where the bits depend on who sums (a ring, a lossy codec), and with --restarts 0, its
loss ends the run.

Ctrl-C writes a checkpoint and stops; a second Ctrl-C stops immediately.

)";

std::string runExitCodes() {
  return exitCodeHelp({ExitCode::kDone,
                       ExitCode::kFailed,
                       ExitCode::kUsage,
                       {ExitCode::kResourceFailed,
                        "storage or memory of this machine failed; --resume continues the run"},
                       {ExitCode::kLostPeers, "a process was lost; --resume continues the run"},
                       {ExitCode::kBadConfiguration, "the job cannot be run"},
                       ExitCode::kInterrupted,
                       ExitCode::kBrokenInvariant,
                       ExitCode::kStopped});
}

constexpr const char* kValidateFooter = R"(
Examples:
  sumac validate job.yaml
  sumac validate job.yaml --set strategy.consistency=asynchronous

Checks the document: its fields, layers and shapes, the sizes of known data, and pod templates.
What depends on the machine or the cluster is not checked: data files, free memory, instruction
set.
Exit codes: 0 this version can run it, 2 usage, 78 it cannot be run.)";

constexpr const char* kExplainFooter = R"(
Examples:
  sumac explain
  sumac explain spec.training.optimizer
  sumac explain experiment.spec
  sumac explain machines.spec.types
  sumac explain convolutions.spec)";

constexpr const char* kModelsFooter = R"(
Examples:
  sumac models
  sumac models show resnet50
  sumac models show job.yaml -o json
  sumac models show model.safetensors)";

constexpr const char* kFetchFooter = R"(
Examples:
  sumac data fetch fashion-mnist
  sumac data fetch cifar-10 --output-dir /data/cifar-10
  sumac data fetch mnist --mirror http://files.example.com/mnist

Files are checked against known SHA-256 sums. A fetch that was stopped continues where it ended, and
files that are there are kept. The proxies of https_proxy, http_proxy and no_proxy are used.
Exit codes: 0 all files are there, 1 failed, 2 usage.)";

constexpr const char* kCompletionFooter = R"(
Examples:
  source <(sumac completion bash)
  sumac completion zsh > "${fpath[1]}/_sumac"
  sumac completion fish > ~/.config/fish/completions/sumac.fish

An installation has these scripts where the shells find them.
kubectl (1.26 or later) completes `kubectl sumac` if its PATH has kubectl_complete-sumac, which is
in the folder of sumac.)";

/// The terminal behind stderr, if it is one.
Terminal terminal() {
  return {isTerminal(STDERR_FILENO), hasColor(STDERR_FILENO), columnsOf(STDERR_FILENO)};
}

std::string localTime() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return text;
}

/// Asks the sumac-worker of a folder how much memory a worker needs.
AskMemory askMemoryOf(const std::filesystem::path& programs) {
  return [programs](std::vector<std::string> arguments, const std::string& input) {
    return askWorkerMemory(programs, std::move(arguments), input);
  };
}

/// Has the sumac-worker of a folder pack data that take too much memory, and show its progress.
AskCache askCacheOf(const std::filesystem::path& programs) {
  return [programs](const std::string& job) -> Result<std::string> {
    auto answer = askWorker(programs, {"cache"}, job, Messages::kShown);
    if (answer && answer->ends_with('\n')) answer->pop_back();
    return answer;
  };
}

/// Of a number of processes.
CLI::Validator atLeast(int least) {
  return {[least](const std::string& value) {
            int number = 0;
            const bool is_enough = CLI::detail::lexical_cast(value, number) && number >= least;
            return is_enough ? std::string()
                             : "must be a number from " + std::to_string(least) + " on";
          },
          ""};
}

/// The flags of a job that has no file, and the field of a file's job that each stands for.
constexpr std::pair<const char*, const char*> kProgramFlags[] = {
    {"--parts", "training.logicalWorkers"},
    {"--batch", "training.batchSize"},
    {"--epochs", "training.epochs"},
    {"--steps", "training.steps"},
    {"--seed", "training.seed"},
    {"--threads", "program.threads"}};

void addProgramFlags(CLI::App& run, RunOptions& options) {
  ProgramFlags& flags = options.program;
  constexpr const char* kGroupOfProgram = "Options of a COMMAND";
  const auto add = [&run](auto&& name, auto& number, const char* text, int least) {
    return run.add_option(name, number, text)
        ->type_name("N")
        ->check(atLeast(least))
        ->group(kGroupOfProgram);
  };
  add("--parts", flags.parts,
      "V: the parts of every mini-batch, at least as many as workers; the bits depend on it [as "
      "many]",
      1);
  add("--batch", flags.batch, "Samples of a mini-batch of the whole job [64]", 1);
  auto* const epochs = add("--epochs", flags.epochs, "Passes over the training data [1]", 1);
  add("--steps", flags.steps, "Updates of the weights, in place of epochs", 1)->excludes(epochs);
  add("--seed", flags.seed, "Seed of all random numbers [1]", 0);
  add("--threads", flags.threads, "Compute threads of each worker; the bits depend on it [1]", 1);
  run.add_flag("--print-job", options.prints_job, "Print the job's document and end")
      ->group(kGroupOfProgram);
}

/// Whether the command line says once which job it is.
void checkJob(const CLI::App& run, bool has_file, const RunOptions& options) {
  const auto refuse = [](const std::string& message) {
    throw CLI::ParseError(message, toInt(ExitCode::kUsage));
  };
  const bool has_command = !options.program.command.empty();
  if (!has_file && !has_command && options.resume.empty())
    throw CLI::RequiredError("FILE, -- COMMAND or --resume DIR");
  if (has_file && has_command)
    refuse(
        "both a FILE and a COMMAND are given: FILE says which program it trains with, in "
        "spec.program");
  if (const auto problem = commandProblem(options.program.command); !problem.empty())
    refuse(problem);
  if (has_command && !options.resume.empty())
    refuse("--resume continues a run with the program that it has: leave out the COMMAND");
  if (has_command) return;
  for (const auto& [flag, field] : kProgramFlags) {
    if (run.count(flag) > 0)
      refuse(std::string(flag) + " is for a COMMAND after --; of the job in a file write --set " +
             field + "=" + run.get_option(flag)->as<std::string>());
  }
  if (options.prints_job)
    refuse("--print-job is for a COMMAND after --; FILE is a document already");
}

int runJob(RunOptions& options) {
  return withPrograms(std::cerr, [&options](const std::filesystem::path& programs) {
    options.programs = programs;
    options.ask_memory = askMemoryOf(programs);
    options.ask_cache = askCacheOf(programs);
    options.time = localTime();
    const SystemClock clock;
    return toInt(run(options, clock, {std::cin, std::cout, std::cerr, terminal()}));
  });
}

void addRun(CLI::App& app, const std::vector<std::string>& own_command,
            std::function<int()>& command) {
  const auto options = std::make_shared<RunOptions>();
  auto* const run = app.add_subcommand("run", "Train a job with processes on this machine");
  auto* const file = run->add_option("FILE", options->file,
                                     "The TrainingJob, - reads standard input; with --resume, the "
                                     "run's own if left out. In its place: -- COMMAND...")
                         ->type_name("")
                         ->check([](const std::string& name) {
                           return name == "-" ? std::string() : CLI::ExistingFile(name);
                         });
  addSet(*run, options->sets);
  run->add_option("--workers", options->workers, "Worker processes, instead of worker.replicas")
      ->type_name("N")
      ->check(atLeast(1));
  run->add_option("--servers", options->servers, "Server processes, instead of server.replicas")
      ->type_name("K")
      ->check(atLeast(0));
  auto* const output = run->add_option("--output-dir", options->output,
                                       "New folder for all files of the run [runs/<name>-<time>]")
                           ->type_name("DIR")
                           ->check(folderNameProblem);
  run->add_option("--resume", options->resume,
                  "Continue the run in this folder from its newest checkpoint")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->excludes(output);
  run->add_flag("--from-start", options->from_start,
                "With --resume of a run without a checkpoint: train it again from step 0; its "
                "metrics.jsonl is kept as metrics-1.jsonl");
  run->add_option("--restarts", options->restarts,
                  "Starts of a lost member in a row without a new step, then the run ends [3]")
      ->type_name("N")
      ->check(atLeast(0));
  run->add_option("--trace", options->trace,
                  "Write what all processes do in these steps into trace.json, for "
                  "https://ui.perfetto.dev or chrome://tracing")
      ->type_name("FROM:TO")
      ->check(trace::checkStepRange);
  run->add_flag("--verbose", options->is_verbose, "Also show where the workers' time went");
  addFlag(*run, member_flags::kLogLevel, options->log_level)
      ->check(CLI::Validator(checkLogLevel, "{debug,info,warn,error}", "level"));
  addFlag(*run, member_flags::kLogFormat, options->log_format)
      ->check(CLI::Validator(checkLogFormat, "{text,json}", "format"));
  addProgramFlags(*run, *options);
  run->footer(kRunFooter + runExitCodes());
  run->callback([run, file, options, &own_command, &command] {
    options->program.command = own_command;
    checkJob(*run, file->count() > 0, *options);
    if (options->from_start && options->resume.empty()) {
      throw CLI::ParseError("--from-start trains a run again: name its folder with --resume DIR",
                            toInt(ExitCode::kUsage));
    }
    command = [options] { return runJob(*options); };
  });
}

void addValidate(CLI::App& app, std::function<int()>& command) {
  struct Options {
    std::string file;
    job::Overrides overrides;
  };
  const auto options = std::make_shared<Options>();
  auto* const validate =
      app.add_subcommand("validate", "Check whether a job can run, and list all its problems");
  validate
      ->add_option("FILE", options->file, "The TrainingJob or Experiment; - reads standard input")
      ->type_name("")
      ->required();
  addSet(*validate, options->overrides.sets);
  validate->footer(kValidateFooter);
  validate->callback([options, &command] {
    command = [options] {
      const auto text = readDocument(options->file, std::cin);
      if (!text) return toInt(complain(std::cerr, text.error(), ExitCode::kUsage));
      if (experiment::isExperiment(*text)) {
        return validateExperiment(*text, options->file, {options->overrides.sets}, std::cout,
                                  std::cerr);
      }
      return validateText(*text, options->file, options->overrides, std::cout, std::cerr,
                          askMemoryOf(programsFolder()));
    };
  });
}

void addExplain(CLI::App& app, std::function<int()>& command) {
  struct Options {
    std::string path;
    bool markdown = false;
  };
  const auto options = std::make_shared<Options>();
  auto* const explain =
      app.add_subcommand("explain", "Describe the fields of a TrainingJob and of other documents");
  explain
      ->add_option("PATH", options->path,
                   "A field, such as spec.strategy or experiment.spec.axes; all when left out")
      ->type_name("");
  explain->add_flag("--markdown", options->markdown, "Print all fields as a Markdown document");
  explain->footer(kExplainFooter);
  explain->callback([options, &command] {
    command = [options] {
      return options->markdown ? explainAsMarkdown(std::cout)
                               : cli::explain(options->path, std::cout, std::cerr);
    };
  });
  app.add_subcommand("crd", "Print the CustomResourceDefinition of TrainingJob")
      ->callback([&command] { command = [] { return crd(std::cout); }; });
}

/// `sumac data fetch`.
void addFetch(CLI::App& data, std::function<int()>& command) {
  struct Options : FetchOptions {
    std::string data_set;
  };
  const auto options = std::make_shared<Options>();
  auto* const fetch = data.add_subcommand("fetch", "Download a public data set");
  fetch->set_help_flag("-h,--help", "Print this help message and exit");
  fetch->prefix_command(false);  // it inherits that of data: its own words are checked
  fetch->add_option("NAME", options->data_set, "The data set: " + remoteDataSetNames())
      ->type_name("")
      ->required()
      ->check([](const std::string& name) {
        return findRemoteDataSet(name) != nullptr
                   ? std::string()
                   : "unknown data set `" + name + "`; known are " + remoteDataSetNames();
      });
  fetch->add_option("--output-dir", options->folder, "Folder for the files [data/<NAME>]")
      ->check(folderNameProblem)
      ->type_name("DIR");
  fetch
      ->add_option("--mirror", options->mirror,
                   "Where the files are, in place of the publisher's address")
      ->check(emptyValueError)
      ->type_name("URL");
  fetch->footer(kFetchFooter);
  fetch->callback([options, &command] {
    command = [options] {
      options->is_live = isTerminal(STDERR_FILENO);
      return toInt(
          cli::fetch(*findRemoteDataSet(options->data_set), *options, std::cout, std::cerr));
    };
  });
}

/// `sumac data`: sumac-worker reads the rest of the line, and prints the help.
void addData(CLI::App& app, std::function<int()>& command) {
  auto* const data =
      app.add_subcommand("data", "Describe, generate or download data (see data --help)");
  data->set_help_flag();
  data->prefix_command();
  addFetch(*data, command);
  data->callback([data, &command] {
    if (!data->get_subcommands().empty()) return;  // fetch is ours
    command = [data] {
      auto arguments = data->remaining();
      arguments.insert(arguments.begin(), data->get_name());
      return becomeWorker(arguments);
    };
  });
}

/// `sumac models` and `sumac models show`.
void addModels(CLI::App& app, std::function<int()>& command) {
  const auto options = std::make_shared<ModelsOptions>();
  auto* const models = app.add_subcommand("models", "List the zoo, or show a network's layers");
  auto* const show = models->add_subcommand("show", "Show a network layer by layer");
  show->add_option("MODEL", options->model,
                   "A name of the zoo, the file of a TrainingJob, or a trained model: "
                   "model.safetensors or the folder of a run")
      ->type_name("NAME|FILE")
      ->required();
  for (CLI::App* const each : {models, show}) {
    constexpr int kMostWords = 10'000'000;
    constexpr int kMostTimeSteps = 10'000;
    each->add_option("--vocabulary", options->vocabulary, "Words of a text network")
        ->type_name("N")
        ->check(CLI::Range(2, kMostWords));
    each->add_option("--unroll", options->unroll, "Time steps of a text network")
        ->type_name("T")
        ->check(CLI::Range(1, kMostTimeSteps));
    each->add_option_function<std::string>(
            "-o,--output", [options](const std::string& form) { options->json = form == "json"; },
            "How to print it [table]")
        ->type_name("FORM")
        ->check(CLI::IsMember({"table", "json"}));
  }
  models->footer(kModelsFooter);
  options->ask_memory = askMemoryOf(programsFolder());
  options->style = textStyleOf(STDOUT_FILENO);
  models->callback([show, options, &command] {
    const bool is_show = show->parsed();
    command = [is_show, options] {
      if (is_show && isTrainedModel(options->model)) {
        return becomeWorker(
            {"model", options->model, options->json ? "--output=json" : "--output=table"});
      }
      return is_show ? showModel(*options, std::cout, std::cerr)
                     : cli::models(*options, std::cout, std::cerr);
    };
  });
}

void addCompletion(CLI::App& app, std::function<int()>& command) {
  const auto shell = std::make_shared<std::string>();
  auto* const completion =
      app.add_subcommand("completion", "Print the script that completes sumac in a shell");
  completion->add_option("SHELL", *shell, "The shell to complete in")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completion->footer(kCompletionFooter);
  completion->callback([shell, &command] {
    command = [shell] {
      std::cout << (*shell == "bash"  ? kBashCompletion
                    : *shell == "zsh" ? kZshCompletion
                                      : kFishCompletion)
                << std::flush;
      return toInt(ExitCode::kDone);
    };
  });
}

}  // namespace

void addLocalCommands(CLI::App& app, const std::vector<std::string>& own_command,
                      std::function<int()>& command) {
  addInit(app, command);
  addRun(app, own_command, command);
  addValidate(app, command);
  addExplain(app, command);
  addCompare(app, command);
  addModelCommands(app, command);
  addModels(app, command);
  addExport(app, command);
  addData(app, command);
  addProfile(app, command);
  addPlan(app, command);
  addExperiment(app, command);
  addBench(app, command);
  addCompletion(app, command);
  for (auto* const local : app.get_subcommands({}))
    local->group(kGroup);
}

}  // namespace sumac::cli
