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
#include "cli/models/worker_memory.h"
#include "cli/programs/ask_program.h"
#include "cli/programs/programs.h"
#include "cli/run/run.h"
#include "cli/set_option.h"

namespace sumac::cli {
namespace {

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

}  // namespace

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

}  // namespace sumac::cli
