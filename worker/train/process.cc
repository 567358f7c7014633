#include "worker/train/process.h"

#include <exception>
#include <fstream>
#include <new>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "common/base/check.h"
#include "common/base/memory.h"
#include "common/base/process_identity.h"
#include "common/base/stop_signal.h"
#include "common/base/termination_message.h"
#include "common/link/context.h"
#include "common/wire/job_hash.h"
#include "worker/train/loop.h"
#include "worker/train/processors.h"
#include "worker/train/setup.h"

namespace sumac::worker {
namespace {

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) {
      const auto colon = line.find(": ");
      if (colon != std::string::npos) return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

/// What may work later or elsewhere is no fault of the document.
ExitCode exitCodeOf(const Error& error) {
  return error.code == ErrorCode::kUnavailable ? ExitCode::kFailed : ExitCode::kBadConfiguration;
}

WorkerIdentity identityOf(const ProcessOptions& options, const TrainingSetup& setup,
                          std::vector<std::string> kernels) {
  WorkerIdentity identity;
  identity.self = Member{Slot{Role::kWorker, options.index}, newIncarnation()};
  identity.job = wire::jobHash(setup.job.name, options.attempt);
  identity.plan_text = setup.plan_text;
  identity.kernels = std::move(kernels);
  identity.newest_checkpoint = setup.newest ? setup.newest->step : 0;
  identity.vocabulary = setup.vocabulary();
  identity.description = processorName();
  return identity;
}

Result<End> trainOnce(const ProcessOptions& options, const Log& log) {
  auto prepared = prepareTraining(options, log);
  if (auto* end = std::get_if<End>(&prepared)) return *end;
  auto* setup = &std::get<TrainingSetup>(prepared);
  auto kernels = offeredKernels(options, *setup);
  if (!kernels) return kernels.error();
  if (const auto warning = threadsWarning(setup->job.training.threads); !warning.empty()) {
    log.warn("many threads", {{"warning", warning}});
  }
  link::Context context;
  auto exchange = ExchangeClient::open(context, identityOf(options, *setup, *std::move(kernels)),
                                       setup->plan, options.coordinator, log);
  if (!exchange) return exchange.error();
  const StopSignal stop_signal([&client = **exchange] { client.leave(); });
  return train(*setup, **exchange, SystemClock(), log);
}

}  // namespace

ExitCode runProcess(const ProcessOptions& options) {
  blockStopSignals();
  keepFreedMemory();
  const auto level = logLevelFromName(options.log_level);
  const Log log = Log::toStderr(level ? *level : LogLevel::kInfo)
                      .with({"role", "worker"})
                      .with({"rank", options.index});
  End outcome;
  try {
    const auto trained = trainOnce(options, log);
    outcome = trained ? *trained : End{exitCodeOf(trained.error()), trained.error().message};
  } catch (const InvariantViolation& violation) {
    outcome = {ExitCode::kBrokenInvariant, violation.what()};
  } catch (const std::bad_alloc&) {
    outcome = {ExitCode::kFailed,
               "not enough memory for the data, the network and its batches; lower "
               "spec.training.batchSize, or give this worker more"};
  } catch (const std::exception& exception) {
    outcome = {ExitCode::kFailed, exception.what()};
  }
  if (outcome.code == ExitCode::kDone || outcome.code == ExitCode::kStopped) {
    log.info("done", {{"code", toInt(outcome.code)}});
  } else {
    log.error("ended", {{"code", toInt(outcome.code)}, {"error", outcome.reason}});
  }
  const auto written = writeTermination(options.termination_file, outcome.reason);
  if (!written) log.warn("no termination message", {{"error", written.error().message}});
  return outcome.code;
}

}  // namespace sumac::worker
