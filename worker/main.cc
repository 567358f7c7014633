// sumac-worker: computes gradients of its parts of every mini-batch and applies their sum.
// `sumac-worker data ...` is what `sumac data ...` runs, as `evaluate`, `predict` and `model`, of
// `sumac models show`; `sumac-worker memory` tells `sumac` how much memory a worker needs,
// `sumac-worker profile` how long its steps take, `sumac-worker cache` where large data are packed.
// Wiring only.

#include <array>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "base/core/slot.h"
#include "base/core/version.h"
#include "base/process/exit_code_help.h"
#include "base/process/help_format.h"
#include "base/process/member_flags.h"
#include "base/process/process_end.h"
#include "base/process/termination_message.h"
#include "base/process/usage.h"
#include "base/trace/step_range.h"
#include "worker/commands/cache_command.h"
#include "worker/commands/data_command.h"
#include "worker/commands/evaluate_command.h"
#include "worker/commands/memory_command.h"
#include "worker/commands/model_command.h"
#include "worker/commands/predict_command.h"
#include "worker/commands/profile_command.h"
#include "worker/train/worker_process.h"

namespace {

void addEmulation(CLI::App& app, sumac::worker::Emulation& emulation) {
  constexpr double kMostSlowdown = 1e6;
  addFlag(app, sumac::member_flags::kEmulateCompute, emulation.folder);
  addFlag(app, sumac::member_flags::kEmulateProfile, emulation.profile)
      ->excludes(sumac::member_flags::kEmulateCompute.name);
  addFlag(app, sumac::member_flags::kSlowdown, emulation.slowdown)
      ->check(CLI::Range(1.0, kMostSlowdown))
      ->capture_default_str();
  app.add_option(sumac::member_flags::kSlowFolder, emulation.slow_folder)
      ->group("");  // of experiments
}

/// What is asked of the program besides training; nothing: training is.
std::optional<int> runCommand(int argc, char** argv) {
  using sumac::toInt;
  const std::string_view command = argc > 1 ? argv[1] : "";
  using Command = sumac::ExitCode (*)(int, char**, std::ostream&, std::ostream&);
  constexpr std::array<std::pair<std::string_view, Command>, 4> kForUsers{
      {{"data", sumac::worker::dataCommand},
       {"evaluate", sumac::worker::evaluateCommand},
       {"model", sumac::worker::modelCommand},
       {"predict", sumac::worker::predictCommand}}};
  for (const auto& [name, run] : kForUsers) {
    if (command != name) continue;
    const auto code = run(argc - 1, argv + 1, std::cout, std::cerr);
    return sumac::endOfOutput(toInt(code), std::cout, std::cerr);
  }
  using Answer = sumac::ExitCode (*)(int, char**, std::istream&, std::ostream&, std::ostream&);
  constexpr std::array<std::pair<std::string_view, Answer>, 3> kForSumac{
      {{"cache", sumac::worker::cacheCommand},
       {"memory", sumac::worker::memoryCommand},
       {"profile", sumac::worker::profileCommand}}};
  for (const auto& [name, answer] : kForSumac) {
    if (command == name) return toInt(answer(argc - 1, argv + 1, std::cin, std::cout, std::cerr));
  }
  return std::nullopt;
}

/// Which member this is, of what job, and where the others are.
void addMembership(CLI::App& app, sumac::worker::WorkerOptions& options) {
  namespace flags = sumac::member_flags;
  addFlag(app, flags::kJob, options.job_file)->required();
  addFlag(app, flags::kIndex, options.index)
      ->required()
      ->check(CLI::Range(0, sumac::kLargestIndex));
  addFlag(app, flags::kCoordinator, options.coordinator)
      ->description(std::string(flags::kCoordinator.help) +
                    "; not for worker 0 of a job without servers");
  addFlag(app, flags::kListen, options.listen)
      ->description(std::string(flags::kListen.help) +
                    "; for jobs without servers, and elastic ones")
      ->capture_default_str();
  addFlag(app, flags::kAttempt, options.attempt)->capture_default_str();
  addFlag(app, flags::kWorkers, options.workers)->check(CLI::Range(1, sumac::kLargestIndex + 1));
  addFlag(app, flags::kElastic, options.is_elastic);
  addFlag(app, flags::kTensorBoard, options.writes_tensorboard);
  addFlag(app, flags::kOrphanSeconds, options.orphan_seconds)
      ->capture_default_str()
      ->check(CLI::Range(1, flags::kMostOrphanSeconds));
  addFlag(app, flags::kFlappingSeconds, options.flapping_seconds)
      ->capture_default_str()
      ->check(CLI::Range(0, flags::kMostFlappingSeconds));
  addFlag(app, flags::kLocalWorkers, options.local_workers)
      ->capture_default_str()
      ->check(CLI::Range(1, sumac::kLargestIndex + 1));
}

}  // namespace

int main(int argc, char** argv) {
  using sumac::ExitCode;
  namespace flags = sumac::member_flags;
  sumac::reportFailedResources();
  if (const auto ended = runCommand(argc, argv)) return *ended;
  sumac::worker::WorkerOptions options;
  CLI::App app{
      "Trains one worker's parts of a TrainingJob: computes gradients, exchanges them with the\n"
      "parameter servers, or with the other workers, and applies their sum.",
      "sumac-worker"};
  app.formatter(std::make_shared<sumac::HelpFormat>());
  addMembership(app, options);
  addFlag(app, flags::kStatusListen, options.status_listen);
  addFlag(app, flags::kKeys, options.keys_folder);
  addFlag(app, flags::kOutput, options.output_folder);
  addFlag(app, flags::kCheckpoint, options.checkpoint_folder);
  addFlag(app, flags::kDataDir, options.data_folder);
  addFlag(app, flags::kTerminationFile, options.termination_file);
  addFlag(app, flags::kJobUid, options.job_uid);
  addFlag(app, flags::kJobNamespace, options.job_namespace);
  addFlag(app, flags::kReadyFd, options.ready_fd);
  addFlag(app, flags::kProgressFd, options.progress_fd);
  addFlag(app, flags::kTrace, options.trace.steps)->check(sumac::trace::checkStepRange);
  addFlag(app, flags::kTraceDir, options.trace.folder);
  addFlag(app, flags::kKernels, options.kernels);
  addEmulation(app, options.emulation);
  app.add_flag(flags::kExchangeOnly, options.exchange_only)
      ->envname(flags::kExchangeOnlyVariable)
      ->group("");                                                     // of `sumac bench`
  app.add_option(flags::kPackedData, options.packed_data)->group("");  // of `sumac run`
  addLogFlags(app, flags::kLogLevel, flags::kLogFormat, options.log);
  app.set_version_flag("--version", std::string("sumac-worker ") + sumac::kVersion,
                       "Print the version");
  app.footer("A flag wins over its environment variable, which wins over the default.\n\n" +
             sumac::memberExitCodeHelp());
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const ExitCode code = sumac::endOfUsage(app, error);
    if (code == ExitCode::kUsage)
      sumac::writeUsageTermination(options.termination_file, sumac::usageText(app, error));
    return sumac::toInt(code);
  }
  std::signal(SIGPIPE, SIG_IGN);  // a reader of our pipes may end before us
  return sumac::worker::runWorker(options);
}
