#include "libsumac/program_member.h"

#include <filesystem>
#include <utility>

#include "base/process/incarnation.h"
#include "base/process/outlet.h"
#include "base/process/processor.h"
#include "base/process/termination_message.h"
#include "exchange/client/exchange_client.h"
#include "exchange/link/endpoint.h"
#include "exchange/link/zmq_link.h"
#include "exchange/membership/most_members.h"
#include "exchange/wire/job_hash.h"

#include "libsumac/alone.h"
#include "libsumac/misuse.h"

namespace sumac::program {
namespace {

constexpr std::chrono::seconds kFailing{5};

/// Storage and addresses that are refused now are refused the next time, too.
ProcessEnd endOfSetup(const Error& error) {
  const bool is_denied = error.code == ErrorCode::kDenied || error.code == ErrorCode::kInvalid;
  return endOf(error, is_denied && error.code == ErrorCode::kDenied ? ExitCode::kFailed
                                                                    : ExitCode::kBadConfiguration);
}

}  // namespace

ProgramMember::ProgramMember(const Options& options, const Environment& environment)
    : log_(Log::discarding()) {
  auto settings = readSettings(options, environment);
  if (!settings) {
    endWith({ExitCode::kBadConfiguration, settings.error().message});
    return;
  }
  settings_ = *std::move(settings);
  log_ = logAt(settings_.log_level).with({"role", "worker"}).with({"index", settings_.index});
}

ProgramMember::~ProgramMember() {
  const std::scoped_lock lock(leaving_);
  leavable_ = nullptr;
}

Log ProgramMember::logAt(LogLevel level) {
  return Log::toFunction([this](LogLevel at, std::string_view line) { lines_.push(at, line); },
                         level);
}

bool ProgramMember::declare(Declaration declared) {
  require(!setup_, "sumac_declare: it was called before");
  if (end_) return false;
  auto setup = prepareProgram(settings_, std::move(declared), log_);
  if (!setup) {
    endWith(endOfSetup(setup.error()));
    return false;
  }
  setup_ = *std::move(setup);
  sampler_.emplace(settings_.job.training.seed, setup_->declared.samples, setup_->batchSize(),
                   setup_->parts());
  return true;
}

std::span<const std::int64_t> ProgramMember::samples(Step step, int part) {
  return sampler_->indices(step, part);
}

checkpoint::ProgramState& ProgramMember::beginState(Step step) {
  require(setup_.has_value(), "sumac_state_is: call sumac_declare() first");
  if (run_) {
    run_->requireStateOf(step);
  } else {
    require(step == 0, "sumac_state_is: before the first sumac_next() the step is 0");
  }
  return registered_;
}

void ProgramMember::endState(Step step) {
  registered_.step = step;
  has_state_ = true;
  if (run_) run_->onState(step);
}

Next ProgramMember::next(TimePoint until) {
  require(setup_.has_value() || end_, "sumac_next: call sumac_declare() first");
  if (end_) return end_->code == ExitCode::kStopped ? Next::kStopped : Next::kEnded;
  if (!run_) {
    require(has_state_, "sumac_next: call sumac_state_is() with the state of step 0 first");
    if (!open()) return Next::kEnded;
  }
  const Next next = run_->next(until);
  if (run_->end()) endWith(*run_->end());
  return next;
}

bool ProgramMember::add(Step step, int part, std::span<const Piece> pieces, float loss) {
  require(run_ != nullptr, "sumac_add: the turn is not SUMAC_COMPUTE");
  return run_->add(step, part, pieces, loss);
}

void ProgramMember::metrics(const Evaluated& evaluation) {
  require(run_ != nullptr, "sumac_metrics: neither SUMAC_UPDATE nor SUMAC_LAST");
  run_->onMetrics(evaluation);
}

void ProgramMember::fail(ExitCode code, const std::string& message) {
  if (end_) return;
  ProcessEnd cause{code, message};
  if (run_) {
    run_->fail(cause, clock_.now() + kFailing);
    if (run_->end()) cause = *run_->end();
  }
  endWith(std::move(cause));
}

void ProgramMember::leave() {
  const std::scoped_lock lock(leaving_);
  leaves_ = true;
  if (leavable_ != nullptr) leavable_->leave();
}

void ProgramMember::endWith(ProcessEnd end) {
  if (end_) return;
  if (end.code != ExitCode::kDone && run_ && run_->lastStep() > 0) end.step = run_->lastStep();
  end_ = std::move(end);
  tellEnd();
}

/// Tells the process that started this one, and the log.
void ProgramMember::tellEnd() {
  const auto written =
      writeTermination(settings_.termination_file, LastWords{end_->reason, end_->step}.text());
  if (!written) log_.warn("no termination message", {{"error", written.error().message}});
  if (end_->code == ExitCode::kDone || end_->code == ExitCode::kStopped) {
    log_.info("done", {{"code", toInt(end_->code)}});
  } else {
    log_.error("ended", {{"code", toInt(end_->code)}, {"error", end_->reason}});
  }
}

/// False: it has ended.
bool ProgramMember::open() {
  if (auto connected = connect(); !connected) {
    endWith(endOfSetup(connected.error()));
    return false;
  }
  const std::scoped_lock lock(leaving_);
  leavable_ = exchange_.get();
  if (leaves_) exchange_->leave();
  return true;
}

/// Joins nobody yet, but others may connect.
Result<void> ProgramMember::connect() {
  auto kernels = Kernels::loadBest(settings_.kernels);
  if (!kernels) return kernels.error();
  kernels_ = *std::move(kernels);
  status_.emplace(clock_);
  const Member self{{Role::kWorker, settings_.index}, newIncarnation()};
  if (settings_.is_alone) {
    exchange_ = std::make_unique<Alone>(setup_->plan, self, setup_->newest_step);
  } else {
    if (const auto wrong = checkAddresses()) return *wrong;
    if (!settings_.job.strategy.hasServers()) {
      sums_ = std::make_unique<worker::WorkerSums>(
          setup_->job, *kernels_,
          worker::WorkerSumsOptions{settings_.index, settings_.attempt, settings_.job_uid,
                                    settings_.progress_fd});
    }
    if (auto started = startStatus(log_); !started) return started;
    const std::uint64_t job = wire::jobHash(settings_.job.name, settings_.attempt, settings_.token);
    const auto keys = openKeyring(settings_.job.transport == job::Transport::kCurve,
                                  settings_.keys_folder, self.slot);
    if (!keys) return keys.error();
    const bool listens = !settings_.job.strategy.hasServers() || setup_->changes;
    context_.emplace();
    auto link = link::ZmqLink::open(
        *context_, {job, self, listens ? settings_.listen : std::string(), *keys}, log_);
    if (!link) return link.error();
    const std::string endpoint = (*link)->endpoint();
    if (listens) Outlet(settings_.ready_fd).writeLine(endpoint);
    exchange_ = std::make_unique<worker::ExchangeClient>(
        *std::move(link), identityOf(self, job, endpoint), setup_->plan,
        worker::ExchangeOptions{
            .sums = sums_.get(), .published = &status_->exchange(), .kernels = &**kernels_},
        log_);
  }
  run_ =
      std::make_unique<ProgramRun>(*setup_, *exchange_, *kernels_, self,
                                   ProgramRun::Surroundings{log_, status_->trainer(), registered_});
  return {};
}

std::optional<Error> ProgramMember::checkAddresses() const {
  const bool has_servers = settings_.job.strategy.hasServers();
  const bool coordinates = !has_servers && settings_.index == 0;
  const auto wrong = [](const std::string& what) { return Error{ErrorCode::kInvalid, what}; };
  if (coordinates && !settings_.coordinator.empty())
    return wrong("SUMAC_COORDINATOR: worker 0 coordinates this job itself, it has no servers");
  if (!coordinates && settings_.coordinator.empty())
    return wrong("SUMAC_COORDINATOR is missing: where " +
                 std::string(has_servers ? "server 0" : "worker 0") + " listens, tcp://HOST:PORT");
  const auto dialled = coordinates ? Result<void>() : link::checkEndpoint(settings_.coordinator);
  if (!dialled) return dialled.error().within("SUMAC_COORDINATOR");
  const auto listens = has_servers ? Result<void>() : link::checkListenEndpoint(settings_.listen);
  if (!listens) return listens.error().within("SUMAC_LISTEN");
  return std::nullopt;
}

MemberIdentity ProgramMember::identityOf(Member self, std::uint64_t job,
                                         std::string endpoint) const {
  MemberIdentity identity;
  identity.self = self;
  identity.job = job;
  identity.coordinator = coordinatorOf(settings_.job.server.replicas);
  identity.coordinator_endpoint = settings_.coordinator;
  if (setup_->changes) identity.orphan_patience = std::chrono::seconds(settings_.orphan_seconds);
  JoinRequest& request = identity.request;
  request.endpoint = std::move(endpoint);
  request.plan_text = setup_->plan_text;
  request.kernels = {"baseline"};
  request.steps = setup_->total_steps;
  request.newest_checkpoint = setup_->newest_step;
  request.size = setup_->declared.values;
  request.volume = setup_->volume;
  std::error_code ignored;
  request.lacks_checkpoints = setup_->changes && !settings_.checkpoint_folder.empty() &&
                              !std::filesystem::is_directory(settings_.checkpoint_folder, ignored);
  request.description = processorName();
  if (!settings_.job.strategy.method && setup_->newest &&
      setup_->newest->workers == settings_.job.worker.replicas)
    request.algorithm = setup_->newest->algorithm;
  return identity;
}

Result<void> ProgramMember::startStatus(Log log) {
  if (settings_.status_listen.empty()) return {};
  HttpServerOptions options;
  options.listen = settings_.status_listen;
  HttpServer::Routes routes = status_->routes();
  if (sums_) sums_->addTo(routes);
  auto started = HttpServer::start(options, std::move(routes), log);
  if (!started) return started.error().within("health and metrics (SUMAC_STATUS_LISTEN)");
  http_ = *std::move(started);
  log_.info("status", {{"address", http_->address()}});
  return {};
}

}  // namespace sumac::program
