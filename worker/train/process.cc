#include "worker/train/process.h"

#include <algorithm>
#include <exception>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "common/base/check.h"
#include "common/base/process_identity.h"
#include "common/base/stop_signal.h"
#include "common/base/termination_message.h"
#include "common/base/version.h"
#include "common/checkpoint/checkpoint.h"
#include "common/job/job_file.h"
#include "common/job/network_of.h"
#include "common/link/context.h"
#include "common/membership/join_request.h"
#include "common/plan/plan_text.h"
#include "common/wire/job_hash.h"
#include "worker/train/loop.h"

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

Result<TrainingSetup> prepare(const ProcessOptions& options) {
  TrainingSetup setup;
  auto job = job::readJobFile(options.job_file);
  if (!job) return job.error();
  setup.job = std::move(*job);
  auto network = job::networkOf(setup.job);
  if (!network) return network.error();
  setup.network = std::move(*network);
  auto dataset = loadDataset(setup.job.data, options.data_folder);
  if (!dataset) return dataset.error();
  setup.dataset = std::move(*dataset);
  if (setup.dataset.train.shape != setup.network.input) {
    return Error{ErrorCode::kInvalid, "spec.model takes " + model::toString(setup.network.input) +
                                          " samples, spec.data has " +
                                          model::toString(setup.dataset.train.shape)};
  }
  if (setup.network.classes < setup.dataset.classes) {
    return Error{ErrorCode::kInvalid, "spec.model tells " + std::to_string(setup.network.classes) +
                                          " classes apart, spec.data has " +
                                          std::to_string(setup.dataset.classes)};
  }
  const auto& training = setup.job.training;
  if (options.index >= setup.job.worker.replicas) {
    return Error{ErrorCode::kInvalid, "--index " + std::to_string(options.index) +
                                          " is not below spec.worker.replicas, " +
                                          std::to_string(setup.job.worker.replicas)};
  }
  if (training.batch_size > setup.dataset.train.count()) {
    return Error{ErrorCode::kInvalid, "spec.training.batchSize is " +
                                          std::to_string(training.batch_size) + ", the data has " +
                                          std::to_string(setup.dataset.train.count()) +
                                          " training samples"};
  }
  setup.plan = makeExchangePlan(setup.network, training.logical_workers, setup.job.server.replicas);
  setup.output_folder = options.output_folder;
  setup.checkpoint_folder = options.checkpoint_folder;
  return setup;
}

/// The state to go on from, if there is one.
Result<void> readNewestCheckpoint(TrainingSetup& setup, const Log& log) {
  if (setup.checkpoint_folder.empty()) return {};
  std::vector<std::string> warnings;
  const auto step = checkpoint::newest(setup.checkpoint_folder, warnings);
  for (const auto& warning : warnings)
    log.warn("checkpoint passed over", {{"error", warning}});
  if (!step) return {};
  auto state = checkpoint::restore(setup.checkpoint_folder, setup.network, *step);
  if (!state) return state.error();
  setup.newest = std::move(*state);
  return {};
}

/// The variants to offer: what the machine has, the job wants and, when resuming, the checkpoint
/// was made with.
Result<std::vector<std::string>> offeredKernels(const ProcessOptions& options,
                                                const TrainingSetup& setup) {
  const auto available = availableKernelVariants(options.cpu_limit);
  if (!available) return available.error();
  std::string wanted;
  if (setup.job.training.kernels != job::Kernels::kAuto) {
    const auto index = static_cast<int>(setup.job.training.kernels) - 1;
    wanted = toString(static_cast<KernelVariant>(index));
  }
  if (setup.newest) wanted = setup.newest->numerics.substr(0, setup.newest->numerics.find('/'));
  std::vector<std::string> offered;
  for (const KernelVariant variant : *available) {
    if (wanted.empty() || toString(variant) == wanted) offered.emplace_back(toString(variant));
  }
  if (offered.empty()) {
    return Error{ErrorCode::kUnsupported, "this machine cannot compute with the " + wanted +
                                              " kernels that the job or its checkpoint needs"};
  }
  return offered;
}

/// What only workers know of the plan.
std::string dataText(const Dataset& dataset) {
  return "data.fingerprint=" + std::to_string(dataset.fingerprint) +
         "\ndata.trainSamples=" + std::to_string(dataset.train.count()) + "\n";
}

std::string hexadecimal(std::uint64_t value) {
  std::ostringstream out;
  out << std::hex << std::setw(16) << std::setfill('0') << value;
  return out.str();
}

/// What may work later or elsewhere is no fault of the document.
ExitCode exitCodeOf(const Error& error) {
  return error.code == ErrorCode::kUnavailable ? ExitCode::kFailed : ExitCode::kBadConfiguration;
}

Result<End> trainOnce(const ProcessOptions& options, const Log& log) {
  auto setup = prepare(options);
  if (!setup) return setup.error();
  if (auto read = readNewestCheckpoint(*setup, log); !read) return read.error();
  const auto kernels = offeredKernels(options, *setup);
  if (!kernels) return kernels.error();

  WorkerIdentity identity;
  identity.self = Member{Slot{Role::kWorker, options.index}, newIncarnation()};
  identity.job = wire::jobHash(setup->job.name, options.attempt);
  const std::string data_lines = dataText(setup->dataset);
  identity.plan_text =
      planText(setup->job, setup->network, setup->plan) + data_lines + "build=" + kVersion + "\n";
  identity.kernels = *kernels;
  identity.newest_checkpoint = setup->newest ? setup->newest->step : 0;
  identity.description = processorName();
  setup->plan_hash = hexadecimal(planHash(bitsText(setup->job, setup->network) + data_lines));
  link::Context context;
  auto exchange = ExchangeClient::open(context, identity, setup->plan, options.coordinator, log);
  if (!exchange) return exchange.error();
  const StopSignal stop_signal([&client = **exchange] { client.leave(); });
  return train(*setup, **exchange, SystemClock(), log);
}

}  // namespace

ExitCode runProcess(const ProcessOptions& options) {
  blockStopSignals();
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
