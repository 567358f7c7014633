#include "worker/train/process.h"

#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
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
#include "worker/memory/memory_limit.h"
#include "worker/memory/memory_need.h"
#include "worker/train/loop.h"
#include "worker/train/processors.h"
#include "worker/train/setup.h"
#include "worker/train/worker_status.h"

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

/// Whom to tell that SIGTERM came. While the data are read nobody depends on this process and
/// nothing of it has to be finished: it goes at once.
class StopRequest {
 public:
  StopRequest(const ProcessOptions& options, const Log& log) : options_(options), log_(log) {}

  /// From the stop signal's thread.
  void onSignal() {
    const std::scoped_lock lock(mutex_);
    log_.info("asked to stop");
    if (client_ != nullptr) return client_->leave();
    if (!prepares_) return;
    [[maybe_unused]] const auto written =
        writeTermination(options_.termination_file, "asked to stop while reading the data");
    std::_Exit(toInt(ExitCode::kStopped));
  }

  /// From now on `client` is told; none: this process ends anyhow.
  void tell(ExchangeClient* client) {
    const std::scoped_lock lock(mutex_);
    prepares_ = false;
    client_ = client;
  }

 private:
  const ProcessOptions& options_;  // outlives us
  const Log& log_;                 // outlives us
  std::mutex mutex_;
  bool prepares_ = true;              // guarded by mutex_
  ExchangeClient* client_ = nullptr;  // guarded by mutex_
};

/// Has a client told for as long as this lives.
class Told {
 public:
  Told(StopRequest& request, ExchangeClient& client) : request_(request) { request.tell(&client); }
  ~Told() { request_.tell(nullptr); }
  Told(const Told&) = delete;
  Told& operator=(const Told&) = delete;

 private:
  StopRequest& request_;  // outlives us
};

/// Health and metrics, where they are wanted.
Result<std::unique_ptr<HttpServer>> startStatus(const ProcessOptions& options, WorkerStatus& status,
                                                const Log& log) {
  if (options.status_listen.empty()) return std::unique_ptr<HttpServer>();
  HttpServerOptions server;
  server.listen = options.status_listen;
  auto started = HttpServer::start(server, status.routes(), log);
  if (!started) return started.error().within("health and metrics (--status-listen)");
  log.info("status", {{"address", (*started)->address()}});
  return started;
}

/// Gives training.threads its number where it is auto, and warns where there are too many.
void chooseThreads(job::TrainingSpec& training, int local_workers, const Log& log) {
  const Processors processors = usableProcessors();
  const bool is_auto = training.threads == 0;
  if (is_auto) training.threads = automaticThreads(processors, local_workers);
  log.info("compute threads", {{"threads", training.threads}, {"auto", is_auto}});
  const auto warning = is_auto ? std::string() : threadsWarning(training.threads, processors);
  if (!warning.empty()) log.warn("many threads", {{"warning", warning}});
}

/// How this worker ends when its memory limit is below what it will need: better now and with a
/// message than killed in mid-job. Sized for the widest kernels on offer.
std::optional<End> checkMemory(const TrainingSetup& setup, const std::string& widest, int index) {
  const auto variant = kernelVariantFromName(widest);
  if (!variant) return End{ExitCode::kBadConfiguration, variant.error().message};
  const auto kernels = Kernels::load(*variant);
  if (!kernels) return End{ExitCode::kBadConfiguration, kernels.error().message};
  auto need = memoryNeed(setup.job, setup.network, setup.plan, *kernels, index);
  if (!need) return End{ExitCode::kBadConfiguration, need.error().message};
  need->data += bytesOf(setup.dataset);
  const std::string problem = memoryProblem(*need, memoryLimit("/"));
  if (problem.empty()) return std::nullopt;
  return End{ExitCode::kBadConfiguration, problem};
}

Result<End> trainOnce(const ProcessOptions& options, const Log& log) {
  const SystemClock clock;
  WorkerStatus status(clock);
  const auto http = startStatus(options, status, log);
  if (!http) return http.error();
  StopRequest stop_request(options, log);
  const StopSignal stop_signal([&stop_request] { stop_request.onSignal(); });
  auto prepared = prepareTraining(options, log);
  if (auto* end = std::get_if<End>(&prepared)) return *end;
  auto* setup = &std::get<TrainingSetup>(prepared);
  auto kernels = offeredKernels(options, *setup);
  if (!kernels) return kernels.error();
  if (auto end = checkMemory(*setup, kernels->back(), options.index)) return *end;
  chooseThreads(setup->job.training, options.local_workers, log);
  const auto keys = openKeyring(setup->job.transport == job::Transport::kCurve, options.keys_folder,
                                Slot{Role::kWorker, options.index});
  if (!keys) return keys.error();
  link::Context context;
  auto exchange =
      ExchangeClient::open(context, identityOf(options, *setup, *std::move(kernels)), setup->plan,
                           {options.coordinator, *keys, &status.exchange()}, log);
  if (!exchange) return exchange.error();
  const Told told(stop_request, **exchange);
  return train(*setup, **exchange, {clock, log, status.trainer()});
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
