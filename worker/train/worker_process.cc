#include "worker/train/worker_process.h"

#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/stop_times.h"
#include "base/core/thrown_error.h"
#include "base/process/incarnation.h"
#include "base/process/member_flags.h"
#include "base/process/memory.h"
#include "base/process/memory_end.h"
#include "base/process/outlet.h"
#include "base/process/process_end.h"
#include "base/process/processor.h"
#include "base/process/question_signal.h"
#include "base/process/resource_limits.h"
#include "base/process/stop_signal.h"
#include "base/process/termination_message.h"
#include "engine/make/make_engine.h"
#include "engine/memory/memory_limit.h"
#include "engine/memory/memory_need.h"
#include "engine/nn/compute_pool.h"
#include "engine/nn/processors.h"
#include "exchange/client/exchange_client.h"
#include "exchange/client/worker_sums.h"
#include "exchange/link/context.h"
#include "exchange/link/endpoint.h"
#include "exchange/link/zmq_link.h"
#include "exchange/membership/member_files.h"
#include "exchange/wire/job_hash.h"
#include "job/document/job_file.h"
#include "worker/profile/add_rate.h"
#include "worker/train/exchange_timing.h"
#include "worker/train/surroundings.h"
#include "worker/train/training_run.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {
namespace {

/// Joins the job, loads kernels and engine, and trains until the job ends for this worker:
/// computes, exchanges, updates; worker 0 also evaluates, reports and writes checkpoints.
/// Runs on the calling thread; returns when the coordinator has ended the job or is gone. The step
/// loop is in training_run.h.
ProcessEnd train(const TrainingSetup& setup, ExchangeClient& exchange,
                 const Surroundings& surroundings) {
  const auto give_up = [&exchange](const Error& error) {
    const bool is_denied = error.code == ErrorCode::kDenied;  // the output folder's files
    ProcessEnd end = endOf(error, is_denied ? ExitCode::kFailed : ExitCode::kBadConfiguration);
    exchange.fail(end.code, end.reason);
    exchange.awaitEnd();  // until the others have been told
    return end;
  };
  auto event = exchange.join();
  if (auto* end = std::get_if<ProcessEnd>(&event)) return *end;
  auto* start = &std::get<Start>(event);
  if (start->roster.choice && start->block.begin == 0)
    surroundings.log.info("algorithm", {{"auto", choiceText(*start->roster.choice)}});
  const auto variant = kernelVariantFromName(start->roster.kernels);
  if (!variant) return give_up(variant.error());
  auto kernels = Kernels::load(*variant);
  if (!kernels) return give_up(kernels.error());
  ComputePool pool(setup.job.training.threads);
  TrainingRun run(setup, exchange, std::move(*start), *kernels, pool, surroundings);
  ProcessEnd end;
  try {
    const auto begun = run.begin();
    end = begun ? run.run() : give_up(begun.error());
  } catch (const ThrownError& thrown) {
    // Without memory nobody could be told: that is not caught before all is given back.
    end = give_up(thrown.error());
  }
  run.keepEnd(end);
  return end;
}

/// Where it cannot listen at an address, it could not the next time either.
ProcessEnd endOfOpening(const Error& error) {
  const bool is_denied = error.code == ErrorCode::kDenied;
  return endOf(error, is_denied ? ExitCode::kFailed : ExitCode::kBadConfiguration);
}

/// A worker's sockets, and the name it goes by.
struct Station {
  Member self;
  std::uint64_t job = 0;
  std::unique_ptr<link::ZmqLink> link;
};

MemberIdentity identityOf(const Station& station, const TrainingSetup& setup,
                          const WorkerOptions& options, std::vector<std::string> kernels) {
  MemberIdentity identity;
  identity.self = station.self;
  identity.job = station.job;
  identity.coordinator = coordinatorOf(setup.job.server.replicas);
  identity.coordinator_endpoint = options.coordinator;
  if (setup.changes) identity.orphan_patience = std::chrono::seconds(options.orphan_seconds);
  JoinRequest& request = identity.request;
  request.endpoint = station.link->endpoint();
  request.plan_text = setup.plan_text;
  request.kernels = std::move(kernels);
  request.steps = setup.totalSteps();
  request.newest_checkpoint = setup.newest_step;
  request.volume = setup.volume;
  std::error_code ignored;
  request.lacks_checkpoints = setup.changes && !setup.checkpoint_folder.empty() &&
                              !std::filesystem::is_directory(setup.checkpoint_folder, ignored);
  request.size = setup.vocabulary();
  request.description = processorName();
  return identity;
}

/// Adds what a coordinator needs that has to choose the algorithm.
void prepareChoice(JoinRequest& request, const TrainingSetup& setup, const Kernels& kernels,
                   const Clock& clock) {
  if (setup.job.strategy.method) return;
  request.add_rate = measuredAddRate(*kernels, clock);
  // What was chosen for another number of workers is no choice for this one.
  if (setup.newest && setup.newest->workers == setup.job.worker.replicas)
    request.algorithm = setup.newest->algorithm;
}

/// The last step completed, where an operator reads how this worker ended.
std::optional<Step> stepToTell(const WorkerOptions& options, WorkerStatus& status) {
  const Step step = status.trainer().get().step;
  return options.job_uid.empty() || step == 0 ? std::nullopt : std::optional(step);
}

/// Handles SIGTERM. While the data are read no other member has been promised anything: it exits at
/// once. After that it leaves the job, which ends with a checkpoint, and exits in any case within
/// StopTimes::kExit.
class StopRequest {
 public:
  StopRequest(const WorkerOptions& options, WorkerStatus& status, const Log& log)
      : options_(options), status_(status), log_(log) {}

  /// On the stop signal's thread.
  void onSignal() {
    const std::scoped_lock lock(mutex_);
    log_.info("asked to stop");
    if (client_ != nullptr) return client_->leave();
    if (!is_reading_) return;
    exitAsStopped("asked to stop while reading the data");
  }

  /// On the stop signal's thread: the trainer does not come to an end.
  void onOverdue() {
    log_.error("did not stop in time", {{"seconds", kExitSeconds}});
    exitAsStopped("asked to stop; worker " + std::to_string(options_.index) + " did not within " +
                  std::to_string(kExitSeconds) + " s");
  }

  /// On the reactor's thread: the job has ended, and the trainer does not come to an end.
  [[noreturn]] void onHang(const ProcessEnd& end) const {
    log_.error("the trainer hangs", {{"after", end.reason}});
    exitAs(end.code, end.reason + "; the trainer of worker " + std::to_string(options_.index) +
                         " hangs, its process was ended");
  }

  /// From now on a signal makes `client` leave the job; null: the process is ending already.
  void setClient(ExchangeClient* client) {
    const std::scoped_lock lock(mutex_);
    is_reading_ = false;
    client_ = client;
  }

 private:
  static constexpr auto kExitSeconds =
      std::chrono::duration_cast<std::chrono::seconds>(StopTimes::kExit).count();

  void exitAsStopped(const std::string& why) const { exitAs(ExitCode::kStopped, why); }

  [[noreturn]] void exitAs(ExitCode code, const std::string& why) const {
    const LastWords end{why, stepToTell(options_, status_)};
    [[maybe_unused]] const auto written = writeTermination(options_.termination_file, end.text());
    std::_Exit(toInt(code));
  }

  const WorkerOptions& options_;  // outlives us
  WorkerStatus& status_;          // outlives us
  const Log& log_;                // outlives us
  std::mutex mutex_;
  bool is_reading_ = true;            // guarded by mutex_
  ExchangeClient* client_ = nullptr;  // guarded by mutex_
};

/// Makes signals reach a client for as long as this object lives.
class ClientOfSignals {
 public:
  ClientOfSignals(StopRequest& request, ExchangeClient& client) : request_(request) {
    request.setClient(&client);
  }
  ~ClientOfSignals() { request_.setClient(nullptr); }
  ClientOfSignals(const ClientOfSignals&) = delete;
  ClientOfSignals& operator=(const ClientOfSignals&) = delete;

 private:
  StopRequest& request_;  // outlives us
};

/// Health and metrics over HTTP; null without --status-listen.
Result<std::unique_ptr<HttpServer>> startStatus(const WorkerOptions& options, WorkerStatus& status,
                                                WorkerSums* sums, const Log& log) {
  if (options.status_listen.empty()) return std::unique_ptr<HttpServer>();
  HttpServerOptions server;
  server.listen = options.status_listen;
  HttpServer::Routes routes = status.routes();
  if (sums != nullptr) sums->addTo(routes);
  auto started = HttpServer::start(server, std::move(routes), log);
  if (!started) return started.error().within("health and metrics (--status-listen)");
  log.info("status", {{"address", (*started)->address()}});
  return started;
}

/// How this worker ends when its addresses are not those of a job with, or without, servers.
std::optional<ProcessEnd> checkAddresses(const WorkerOptions& options, bool has_servers) {
  const bool coordinates = !has_servers && options.index == 0;
  if (coordinates && !options.coordinator.empty()) {
    return ProcessEnd{ExitCode::kUsage,
                      "--coordinator: worker 0 coordinates this job itself, it has no servers"};
  }
  if (!coordinates && options.coordinator.empty()) {
    return ProcessEnd{ExitCode::kUsage, "--coordinator is missing: where " +
                                            std::string(has_servers ? "server 0" : "worker 0") +
                                            " listens, tcp://HOST:PORT"};
  }
  const auto dialled = coordinates ? Result<void>() : link::checkEndpoint(options.coordinator);
  if (!dialled) {
    return ProcessEnd{ExitCode::kBadConfiguration, dialled.error().within("--coordinator").message};
  }
  const auto listens = has_servers ? Result<void>() : link::checkListenEndpoint(options.listen);
  if (listens) return std::nullopt;
  return ProcessEnd{ExitCode::kBadConfiguration, listens.error().within("--listen").message};
}

/// Others may connect from now on; they are answered once the data are read.
Result<Station> openStation(link::Context& context, const WorkerOptions& options,
                            const job::TrainingJob& job, const Log& log) {
  Station station;
  station.self = {{Role::kWorker, options.index}, newIncarnation()};
  station.job = wire::jobHash(job.name, options.attempt, member_flags::jobToken());
  const auto keys =
      openKeyring(job.transport == job::Transport::kCurve, options.keys_folder, station.self.slot);
  if (!keys) return keys.error();
  const bool listens =
      !job.strategy.hasServers() || mostMembers(job, options.is_elastic).has_value();
  const std::string listen = listens ? options.listen : std::string();
  auto opened = link::ZmqLink::open(context, {station.job, station.self, listen, *keys}, log);
  if (!opened) return opened.error();
  station.link = *std::move(opened);
  if (!listen.empty()) Outlet(options.ready_fd).writeLine(station.link->endpoint());
  return station;
}

/// Gives training.threads its number where it is auto, and warns where there are too many.
void chooseThreads(TrainingSetup& setup, int local_workers, const Log& log) {
  job::TrainingSpec& training = setup.job.training;
  const Processors processors = usableProcessors();
  const bool is_auto = training.threads == 0;
  if (is_auto) training.threads = automaticThreads(processors, local_workers);
  setup.spare_cores = spareCores(processors, local_workers, training.threads);
  setup.stays_awake = mayStayAwake(processors, local_workers, training.threads);
  log.info("compute threads", {{"threads", training.threads}, {"auto", is_auto}});
  const auto warning = is_auto ? std::string() : threadsWarning(training.threads, processors);
  if (!warning.empty()) log.warn("many threads", {{"warning", warning}});
}

/// What this worker will need. Fails when its memory limit is below that: better now and with a
/// message than killed in mid-job. Sized for the widest kernels on offer.
Result<MemoryNeed> checkedNeed(const TrainingSetup& setup, const Kernels& widest, int index) {
  // Who comes later has at most the share of one of the first.
  const int sized = std::min(index, setup.job.worker.replicas - 1);
  auto need = memoryNeed(setup.job, setup.network, setup.plan, widest, sized);
  if (!need) return need.error();
  need->buffers.data += bytesOf(setup.dataset);
  const std::string problem = memoryProblem(*need, memoryLimit("/"));
  if (!problem.empty()) return Error{ErrorCode::kInvalid, problem};
  return need;
}

/// Where members change, with how many workers this one would need more than its limit: the others
/// may be lost.
Result<void> stateMemory(JoinRequest& request, const TrainingSetup& setup, const Kernels& widest) {
  request.memory_limit = setup.changes ? memoryLimit("/") : std::nullopt;
  if (!request.memory_limit) return {};
  auto needs = needsBeyond(*request.memory_limit, setup.job, setup.network, setup.plan, widest,
                           bytesOf(setup.dataset));
  if (!needs) return needs.error();
  request.memory_needs = *std::move(needs);
  return {};
}

/// The kernels of that name.
Result<Kernels> loadKernels(const std::string& name) {
  const auto variant = kernelVariantFromName(name);
  return variant ? Kernels::load(*variant) : variant.error();
}

/// For a job without servers.
Result<std::unique_ptr<WorkerSums>> makeSums(const WorkerOptions& options,
                                             const job::TrainingJob& job) {
  auto kernels = Kernels::loadBest(options.kernels);
  if (!kernels) return kernels.error();
  JobSetup setup = setupOf(job, options.is_elastic);
  setup.limits.flapping = std::chrono::seconds(options.flapping_seconds);
  return std::make_unique<WorkerSums>(
      std::move(setup), *std::move(kernels),
      WorkerSumsOptions{options.index, options.attempt, options.job_uid, options.progress_fd});
}

Result<ProcessEnd> trainOnce(const WorkerOptions& options, int question_fd, const Log& log) {
  const SystemClock clock;
  const SystemWallClock wall_clock;
  const auto job = job::readJobFile(options.job_file, options.workers);
  if (!job) return endOf(job.error(), ExitCode::kBadConfiguration);
  const auto files =
      requireOpenFiles(memberFiles(*job, {Role::kWorker, options.index}), "this worker");
  if (!files) return endOf(files.error(), ExitCode::kFailed);
  const bool has_servers = job->strategy.hasServers();
  if (auto end = checkAddresses(options, has_servers)) return *end;
  const auto tracing =
      trace::PartWriter::start(options.trace, {Role::kWorker, options.index}, clock, log);
  std::unique_ptr<WorkerSums> sums;
  if (!has_servers) {
    auto made = makeSums(options, *job);
    if (!made) return made.error();
    sums = *std::move(made);
  }
  WorkerStatus status(clock);
  const auto http = startStatus(options, status, sums.get(), log);
  if (!http) return endOfOpening(http.error());
  StopRequest stop_request(options, status, log);
  const StopSignal stop_signal([&stop_request] { stop_request.onSignal(); }, StopTimes::kExit,
                               [&stop_request] { stop_request.onOverdue(); });
  link::Context context;
  auto station = openStation(context, options, *job, log);
  if (!station) return endOfOpening(station.error());
  auto prepared = prepareTraining(options, *job, log);
  if (auto* end = std::get_if<ProcessEnd>(&prepared)) return *end;
  auto* setup = &std::get<TrainingSetup>(prepared);
  auto kernels = offeredKernels(options, *setup);
  if (!kernels) return kernels.error();
  const auto widest = loadKernels(kernels->back());
  if (!widest) return widest.error();
  const auto need = checkedNeed(*setup, *widest, options.index);
  if (!need) return ProcessEnd{ExitCode::kBadConfiguration, need.error().message};
  const std::string shortage = memoryShortage(*need);
  prepareMemoryEnd(shortage, options.termination_file);
  chooseThreads(*setup, options.local_workers, log);
  MemberIdentity identity = identityOf(*station, *setup, options, *std::move(kernels));
  prepareChoice(identity.request, *setup, *widest, clock);
  if (auto stated = stateMemory(identity.request, *setup, *widest); !stated) return stated.error();
  ExchangeClient exchange(
      std::move(station->link), identity, setup->plan,
      {sums.get(), &status.exchange(), question_fd, &**widest, trace::recorderOf(tracing),
       [&stop_request](const ProcessEnd& end) { stop_request.onHang(end); }, setup->stays_awake},
      log);
  const ClientOfSignals client(stop_request, exchange);
  const auto body = [&] {
    if (options.exchange_only) return timeExchange(*setup, exchange, clock);
    return train(*setup, exchange,
                 {clock, wall_clock, log, status.trainer(), trace::recorderOf(tracing)});
  };
  ProcessEnd end = runToEnd(body, shortage);
  if (end.code != ExitCode::kDone) end.step = stepToTell(options, status);
  return end;
}

}  // namespace

int runWorker(const WorkerOptions& options) {
  constexpr std::string_view kShortage =
      "not enough memory for the data and the exchange with the other members; give this worker "
      "more";
  prepareMemoryEnd(kShortage, options.termination_file);
  blockStopSignals();
  const auto questions = openQuestions();
  keepFreedMemory();
  allowMostOpenFiles();
  const Log log = options.log.open().with({"role", "worker"}).with({"index", options.index});
  const ProcessEnd end = runToEnd(
      [&] {
        if (!questions) return endOf(questions.error(), ExitCode::kFailed);
        const auto trained = trainOnce(options, questions->get(), log);
        return trained ? *trained : endOf(trained.error(), ExitCode::kBadConfiguration);
      },
      kShortage);
  return reportEnd(end, log, options.termination_file);
}

}  // namespace sumac::worker
