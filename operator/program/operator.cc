#include "operator/program/operator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <unistd.h>

#include "base/core/units.h"
#include "base/core/version.h"
#include "base/process/incarnation.h"
#include "base/process/stop_signal.h"
#include "base/telemetry/http_server.h"
#include "base/telemetry/process_metrics.h"
#include "kube/client/config.h"
#include "kube/client/event_recorder.h"
#include "kube/client/rest_transport.h"
#include "operator/cache/watched.h"
#include "operator/control/blocking_queue.h"
#include "operator/control/controller.h"
#include "operator/control/counting_transport.h"
#include "operator/control/failpoint.h"
#include "operator/control/gated_transport.h"
#include "operator/control/health.h"
#include "operator/control/lease_runner.h"
#include "operator/control/operator_metrics.h"
#include "operator/control/rate_limiter.h"
#include "operator/control/write_gate.h"
#include "operator/program/defaults.h"
#include "operator/program/first_end.h"
#include "operator/trainingjob/job_reconciler.h"
#include "operator/trainingjob/progress/progress_poller.h"

// Threads: main waits for the end; one for signals; one a watcher; one for the lease, which starts
// the workers once it leads and both caches are complete; the workers; two that send events; one
// for HTTP. All are stopped in shutDown(), in the reverse order of their start.

namespace sumac::program {
namespace {

/// The name of the machine or pod; "unknown" if it has none.
std::string hostName() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// The identity of a lease holder: the host name, for people, and random bits, so that a restarted
/// process has another identity. Example: "sumac-operator-7d4b_0123456789abcdef".
std::string identityFrom(std::uint64_t random) {
  return hostName() + "_" + hexText(random, 16);
}

// What passes under way are given after SIGTERM; a pod's grace is 30 s.
constexpr auto kPassGrace = std::chrono::seconds(15);

// Longer means that a thread hangs. A pass that waits for its turn or for answers sends nothing new
// after five minutes (kLongestApply); a request that the server puts off again and again may take
// as long once more.
constexpr auto kLongestPass = std::chrono::minutes(15);
constexpr auto kLeaseSilence = std::chrono::minutes(2);

constexpr int kPollers = 4;  // a slot 0 that does not answer occupies one for two seconds

/// How many workers the namespaces share. Where only one is watched, nobody else waits.
int sharedWorkers(const OperatorFlags& flags) {
  return flags.name_space.empty() ? flags.max_concurrent_reconciles : control::WorkQueue::kUnshared;
}

/// Connections of their own: a stuck watch or a storm of creates must not delay a renewal.
struct Transports {
  std::unique_ptr<kube::Transport> watches;
  std::unique_ptr<kube::Transport> calls;
  std::unique_ptr<kube::Transport> lease;
};

class Operator {
 public:
  Operator(const OperatorFlags& flags, trainingjob::Defaults defaults, Transports transports,
           const Log& log)
      : flags_(flags),
        log_(log),
        seed_(newIncarnation()),
        metrics_(registry_),
        transports_{count(std::move(transports.watches)), count(std::move(transports.calls)),
                    count(std::move(transports.lease))},
        requests_(clock_, flags.qps, flags.burst),
        gated_(*transports_.calls, gate_, clock_),
        queue_(clock_, sharedWorkers(flags)),
        watched_(
            queue_, clock_, [this] { arrive("a cache is complete"); }, log),
        reader_(makeReader()),
        writer_(makeWriter()),
        events_(makeEvents()),
        progress_(
            trainingjob::fetchProgressByHttp(), kPollers,
            [this](const api::ObjectKey& key) { queue_.add(key); }, clock_, log),
        reconciler_(makeReconciler(std::move(defaults))),
        controller_(queue_, *reconciler_, metrics_, clock_, log),
        health_(clock_) {}

  ~Operator() { shutDown(); }
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  ProcessEnd run() {
    const StopSignal signal([this] {
      // The second signal is from somebody who does not want to wait.
      if (!end_.set(ExitCode::kStopped, "asked to stop by a signal")) calls_.request_stop();
    });
    watched_.start(*transports_.watches, *reader_, flags_.name_space, seed_ + 2);
    if (auto listening = startHttp(); !listening) {
      return {ExitCode::kFailed, listening.error().message};
    }
    startElection();
    ProcessEnd end = end_.wait();
    log_.info("ending", {{"reason", end.reason}});
    shutDown();
    return end;
  }

 private:
  std::unique_ptr<kube::Transport> count(std::unique_ptr<kube::Transport> transport) {
    return std::make_unique<control::CountingTransport>(
        std::move(transport),
        [this](std::string_view verb, int code) { metrics_.requested(verb, code); });
  }

  std::unique_ptr<kube::Client> makeReader() {
    kube::ClientOptions options;
    options.jitter = kube::jitterFrom(seed_);
    return kube::makeClient(*transports_.watches, options, reads_.get_token());
  }

  /// The gate is asked after the wait for our turn, right before each request.
  std::unique_ptr<kube::Client> makeWriter() {
    kube::ClientOptions options;
    options.jitter = kube::jitterFrom(seed_ + 1);
    options.throttle = [this](const std::stop_token& stop) { return requests_.acquire(stop); };
    return kube::makeClient(gated_, options, calls_.get_token());
  }

  std::unique_ptr<kube::EventRecorder> makeEvents() {
    kube::EventOptions options;
    options.instance = hostName();
    return kube::startEventRecorder(gated_, options, clock_, wall_, log_);
  }

  std::unique_ptr<control::Reconciler> makeReconciler(trainingjob::Defaults defaults) {
    return trainingjob::makeReconciler(
        {.client = *writer_,
         .jobs = watched_.jobs(),
         .pods = watched_.pods(),
         .quotas = watched_.quotas(),
         .events = *events_,
         .clock = clock_,
         .wall_clock = wall_,
         .progress = progress_,
         .running_jobs = [this] { return watched_.jobs().countInState("Running"); },
         .log = log_,
         .on_status =
             [this](const api::TrainingJob& job, const api::JobStatus& written) {
               metrics_.statusWritten(job.meta.key.name_space, job.status, written);
             }},
        {.defaults = std::move(defaults),
         .in_flight = flags_.in_flight,
         .status_rate = flags_.qps,
         .operator_version = kVersion});
  }

  /// Work begins when both caches are complete and we lead, whatever comes last.
  void arrive(std::string_view what) {
    log_.info(what);
    if (missing_.fetch_sub(1) > 1) return;
    log_.info("working", {{"workers", flags_.max_concurrent_reconciles}});
    controller_.start(flags_.max_concurrent_reconciles);
  }

  void startElection() {
    if (!flags_.leader_elect) {
      gate_.openUntil(TimePoint::max());
      arrive("without an election");
      return;
    }
    control::ElectionOptions options;
    options.identity = identityFrom(seed_);
    options.lease_duration = flags_.lease_duration;
    options.renew_deadline = flags_.renew_deadline;
    options.retry_period = flags_.retry_period;
    lease_client_ =
        kube::makeLeaseClient(*transports_.lease, {flags_.lease_namespace, flags_.lease_name},
                              options.renew_deadline / 2);
    control::LeaseRunnerCalls calls;
    calls.on_leading = [this] { arrive("this operator leads"); };
    calls.on_lost = [this](const std::string& why) {
      calls_.request_stop();
      end_.set(ExitCode::kFailed, "this operator does not lead any more: " + why);
    };
    lease_ = std::make_unique<control::LeaseRunner>(
        control::LeaseRunnerParts{*lease_client_, gate_, clock_, wall_}, options, std::move(calls),
        seed_, log_);
    election_thread_.store(lease_.get(), std::memory_order_release);
  }

  /// Nothing to complain about before there is an election.
  Duration electionSilence(TimePoint now) const {
    const control::LeaseRunner* const runner = election_thread_.load(std::memory_order_acquire);
    return runner == nullptr ? Duration::zero() : runner->silence(now);
  }

  Result<void> startHttp() {
    watched_.addTo(health_);
    health_.addThread(
        "the election", [this](TimePoint now) { return electionSilence(now); }, kLeaseSilence);
    health_.addThread(
        "a pass over a job", [this](TimePoint now) { return controller_.longestPass(now); },
        kLongestPass);
    HttpServer::Routes routes;
    routes["/healthz"] = [this] { return health_.live(); };
    routes["/readyz"] = [this] { return health_.ready(); };
    routes["/metrics"] = [this] {
      process_metrics_.update();
      metrics_.publish(readMetrics());
      return registry_.answer();
    };
    HttpServerOptions options;
    options.listen = flags_.health_listen;
    auto server = HttpServer::start(options, std::move(routes), log_);
    if (!server) return server.error();
    http_ = *std::move(server);
    log_.info("listening", {{"address", http_->address()}});
    return {};
  }

  control::MetricsReading readMetrics() {
    control::MetricsReading reading;
    reading.queue_depth = queue_.depth();
    reading.queue_delayed = queue_.delayed();
    reading.queue_adds = queue_.adds();
    reading.queue_retries = queue_.retries();
    reading.throttled_seconds = requests_.waitedSeconds();
    reading.events_dropped = events_->counts().dropped;
    reading.is_leader = gate_.isOpen(clock_.now());
    reading.jobs_by_state = watched_.jobs().countByState();
    reading.caches = watched_.readMetrics();
    return reading;
  }

  /// Ends passes before the lease is given back, so that no write of ours follows one of the next
  /// leader.
  void shutDown() {
    {
      const std::jthread hurry([this](const std::stop_token& stop) {
        if (kube::sleepFor(kPassGrace, stop)) calls_.request_stop();
      });
      controller_.stop();
    }
    calls_.request_stop();
    http_.reset();
    events_.reset();  // sends what waits, for a moment
    election_thread_ = nullptr;
    if (lease_) lease_->release();
    lease_.reset();
    reads_.request_stop();
    watched_.stop();
  }

  const OperatorFlags flags_;
  const Log log_;
  const std::uint64_t seed_;
  const SystemClock clock_;
  const SystemWallClock wall_;
  FirstEnd end_;
  std::atomic<int> missing_ = 3;  // jobs, pods, leadership

  Metrics registry_;
  ProcessMetrics process_metrics_{registry_};
  control::OperatorMetrics metrics_;
  const Transports transports_;
  std::stop_source reads_;  // ends what watchers do
  std::stop_source calls_;  // ends what passes do
  control::RateLimiter requests_;
  control::WriteGate gate_;
  control::GatedTransport gated_;
  control::BlockingQueue queue_;
  cache::Watched watched_;
  const std::unique_ptr<kube::Client> reader_;
  const std::unique_ptr<kube::Client> writer_;
  std::unique_ptr<kube::EventRecorder> events_;
  trainingjob::ProgressPoller progress_;
  const std::unique_ptr<control::Reconciler> reconciler_;
  control::Controller controller_;
  std::unique_ptr<kube::LeaseClient> lease_client_;
  std::unique_ptr<control::LeaseRunner> lease_;
  std::atomic<control::LeaseRunner*> election_thread_ = nullptr;
  control::Health health_;
  std::unique_ptr<HttpServer> http_;
};

ProcessEnd badConfiguration(const Error& error) {
  return {ExitCode::kBadConfiguration, error.message};
}

}  // namespace

ProcessEnd runOperator(const OperatorFlags& flags, const Log& log) {
  const char* const failpoint = std::getenv(control::kFailpointVariable);
  const auto known = control::checkFailpointName(failpoint == nullptr ? "" : failpoint);
  if (!known) return badConfiguration(known.error());

  kube::ConfigOptions options;
  options.kubeconfig = flags.kubeconfig;
  options.context = flags.context;
  const auto config = kube::loadConfig(options, log);
  if (!config) return badConfiguration(config.error());
  OperatorFlags complete = flags;
  if (complete.lease_namespace.empty()) complete.lease_namespace = config->name_space;
  auto defaults = readDefaults(flags, config->name_space);
  if (!defaults) return badConfiguration(defaults.error());

  auto watches = kube::makeTransport(*config);
  if (!watches) return badConfiguration(watches.error());
  auto calls = kube::makeTransport(*config);
  if (!calls) return badConfiguration(calls.error());
  auto lease = kube::makeTransport(*config);
  if (!lease) return badConfiguration(lease.error());
  log.info("starting", {{"version", kVersion},
                        {"server", config->server},
                        {"namespace", flags.name_space.empty() ? "(all)" : flags.name_space}});
  return Operator(complete, *std::move(defaults),
                  {*std::move(watches), *std::move(calls), *std::move(lease)}, log)
      .run();
}

}  // namespace sumac::program
