// sumac-worker: computes gradients of its parts of every mini-batch and applies their sum. As
// `sumac-worker data ...` it is the command that `sumac` has under that name; `sumac-worker memory`
// tells `sumac` how much memory a worker needs. Wiring only.

#include <cstdlib>
#include <iostream>
#include <memory>
#include <string_view>

#include <CLI/CLI.hpp>

#include "common/base/slot.h"
#include "common/base/termination_message.h"
#include "common/base/version.h"
#include "worker/commands/data_mode.h"
#include "worker/commands/memory_mode.h"
#include "worker/train/process.h"

int main(int argc, char** argv) {
  using sumac::ExitCode;
  if (argc > 1 && std::string_view(argv[1]) == "data") {
    return sumac::toInt(sumac::worker::dataMode(argc - 1, argv + 1, std::cout, std::cerr));
  }
  if (argc > 1 && std::string_view(argv[1]) == "memory") {
    return sumac::toInt(
        sumac::worker::memoryMode(argc - 1, argv + 1, std::cin, std::cout, std::cerr));
  }
  sumac::worker::ProcessOptions options;
  CLI::App app{
      "Trains one worker's parts of a TrainingJob: computes gradients, exchanges them with the\n"
      "parameter servers and applies their sum.",
      "sumac-worker"};
  app.add_option("--job", options.job_file, "job document, YAML or JSON")
      ->required()
      ->envname("SUMAC_JOB");
  app.add_option("--index", options.index, "this worker, 0 <= N < worker.replicas")
      ->required()
      ->check(CLI::Range(0, sumac::kLargestIndex))
      ->envname("SUMAC_INDEX");
  app.add_option("--coordinator", options.coordinator, "endpoint of server 0, tcp://HOST:PORT")
      ->required()
      ->envname("SUMAC_COORDINATOR");
  app.add_option("--attempt", options.attempt, "attempt of the job, as the servers have it")
      ->capture_default_str()
      ->envname("SUMAC_ATTEMPT");
  app.add_option("--workers", options.workers, "workers of this attempt, over the document's")
      ->check(CLI::PositiveNumber)
      ->envname("SUMAC_WORKERS");
  app.add_option("--local-workers", options.local_workers,
                 "workers on this machine, which share its CPUs where training.threads is auto")
      ->capture_default_str()
      ->check(CLI::PositiveNumber)
      ->envname("SUMAC_LOCAL_WORKERS");
  app.add_option(
         "--status-listen", options.status_listen,
         "HOST:PORT in numbers for /healthz, /readyz and /metrics over HTTP (none: no HTTP)")
      ->envname("SUMAC_STATUS_LISTEN");
  app.add_option("--keys", options.keys_folder,
                 "folder with this worker's files `private` and `public`")
      ->envname("SUMAC_KEYS");
  app.add_option("--output", options.output_folder,
                 "folder for model.safetensors (none: not written)")
      ->envname("SUMAC_OUTPUT");
  app.add_option("--checkpoint", options.checkpoint_folder,
                 "folder to resume from and to write checkpoints to (none: no checkpoints)")
      ->envname("SUMAC_CHECKPOINT");
  app.add_option("--data-dir", options.data_folder,
                 "folder of the data sets that come with the product (found by itself)")
      ->envname("SUMAC_DATA_DIR");
  app.add_option("--termination-file", options.termination_file,
                 "where the result, or the cause of a failure, is written")
      ->envname("SUMAC_TERMINATION_FILE");
  app.add_option("--cpu", options.cpu_limit,
                 "best instruction set to use: baseline, avx2 or avx512")
      ->envname("SUMAC_CPU");
  app.add_option("--log-level", options.log_level, "debug, info, warn or error")
      ->capture_default_str()
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}))
      ->envname("SUMAC_LOG_LEVEL");
  app.set_version_flag("--version", std::string("sumac-worker ") + sumac::kVersion);
  app.footer(
      "Exit status: 0 job complete; 1 failed for good, 2 bad usage, 78 bad configuration (not\n"
      "retried); 75 lost its peers, 134 broken invariant, 143 asked to stop.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (app.exit(error) == 0) return 0;
    sumac::writeUsageTermination(options.termination_file, error.what());
    return sumac::toInt(ExitCode::kUsage);
  }
  return sumac::toInt(sumac::worker::runProcess(options));
}
