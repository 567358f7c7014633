#include "server/service/service.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <sys/signalfd.h>
#include <unistd.h>

#include "base/process/question_signal.h"
#include "exchange/link/endpoint.h"
#include "exchange/wire/job_hash.h"

namespace sumac::server {
namespace {

constexpr std::chrono::minutes kReminder{1};

MemberIdentity identityOf(const ServiceOptions& options, const JobSetup& setup,
                          const std::string& endpoint) {
  MemberIdentity identity;
  identity.self = options.self;
  identity.job = wire::jobHash(setup.name, options.attempt, options.token);
  identity.coordinator = coordinatorOf(setup.servers);
  identity.coordinator_endpoint = options.coordinator;
  identity.request.plan_text = setup.plan_text;
  identity.request.endpoint = endpoint;
  if (setup.most) identity.orphan_patience = options.orphan_patience;
  return identity;
}

Result<void> checkEndpoints(const ServiceOptions& options) {
  if (auto checked = link::checkListenEndpoint(options.listen); !checked) {
    return checked.error().within("--listen");
  }
  if (options.coordinator.empty()) return {};
  const auto checked = link::checkEndpoint(options.coordinator);
  return checked ? Result<void>() : checked.error().within("--coordinator");
}

}  // namespace

Result<std::unique_ptr<Service>> Service::open(link::Context& context, ServiceOptions options,
                                               const JobSetup& setup, const KernelTable& kernels,
                                               const Log& log) {
  if (auto checked = checkEndpoints(options); !checked) return checked.error();
  const std::uint64_t job = wire::jobHash(setup.name, options.attempt, options.token);
  auto link = link::ZmqLink::open(context, {job, options.self, options.listen, options.keys}, log);
  if (!link) return link.error();
  const int ready_fd = options.ready_fd;
  std::unique_ptr<Service> service(
      new Service(std::move(link).value(), std::move(options), setup, kernels, log));
  if (auto told = service->startStatus(); !told) return told.error();
  Outlet(ready_fd).writeLine(service->endpoint());
  return service;
}

Service::Service(std::unique_ptr<link::ZmqLink> link, ServiceOptions options, const JobSetup& setup,
                 const KernelTable& kernels, const Log& log)
    : options_(std::move(options)),
      log_(log),
      status_(options_.self.slot, {options_.job_uid, options_.attempt}, clock_),
      progress_(options_.progress_fd),
      link_(std::move(link)),
      lanes_(identityOf(options_, setup, {}).job, options_.self, *link_, log),
      member_(identityOf(options_, setup, link_->endpoint()), rolesOf(setup, kernels), lanes_),
      reactor_(*link_, clock_),
      wait_log_(log) {
  lanes_.deliverTo(member_);
  member_.traceTo(options_.recorder);
  if (options_.signal_fd >= 0) {
    link_->watch(options_.signal_fd, [this] { onSignal(); });
  }
  if (options_.question_fd >= 0) {
    link_->watch(options_.question_fd, [this] { onQuestion(); });
  }
}

Service::~Service() = default;

Roles Service::rolesOf(const JobSetup& setup, const KernelTable& kernels) {
  Roles roles;
  roles.summing = {.kernels = &kernels};
  if (options_.self.slot == coordinatorOf(setup.servers))
    roles.coordinating = {.workers = setup.workers,
                          .servers = setup.servers,
                          .most = setup.most,
                          .limits = setup.limits};
  roles.plan_of = setup.plan_of;
  roles.listener = this;
  return roles;
}

Result<void> Service::startStatus() {
  status_.publish(statistics(), member_.view());
  if (options_.status_listen.empty()) return {};
  HttpServerOptions options;
  options.listen = options_.status_listen;
  auto http = HttpServer::start(options, status_.routes(), log_);
  if (!http) return http.error().within("health and metrics (--status-listen)");
  http_ = std::move(http).value();
  log_.info("status", {{"address", http_->address()}});
  return {};
}

ProcessEnd Service::run() {
  log_.info("listening", {{"endpoint", link_->endpoint()}});
  lanes_.onTick(clock_.now());
  member_.start(clock_.now());
  next_reminder_ = clock_.now() + kReminder;
  reactor_.run(lanes_, [this](TimePoint now) { onTick(now); });
  SUMAC_CHECK(end_.has_value());
  return *end_;
}

void Service::onTick(TimePoint now) {
  lanes_.onTick(now);
  member_.onTick(now);
  const std::vector<Wait> waiting = waits();
  wait_log_.onTick(waiting, now);
  status_.publish(statistics(), member_.view(), waiting);
  if (now >= next_reminder_) logMissingMembers(now);
}

link::Statistics Service::statistics() const {
  link::Statistics counted = link_->statistics();
  lanes_.addTo(counted);
  return counted;
}

/// Workers that lag behind, then those that the network does not reach.
std::vector<Wait> Service::waits() const {
  std::vector<Wait> all = member_.waits();
  for (Wait& wait : lanes_.waits())
    all.push_back(std::move(wait));
  return all;
}

void Service::logMissingMembers(TimePoint now) {
  next_reminder_ = now + kReminder;
  const MemberView member = member_.view();
  if (!member.connected) {
    log_.info("waiting for the coordinator", {{"endpoint", options_.coordinator}});
    return;
  }
  constexpr std::size_t kMostNames = 5;
  const std::vector<Slot> slots = member_.vacantSlots();
  if (slots.empty()) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(slots.size(), kMostNames); ++i)
    names += (i == 0 ? "" : ", ") + toString(slots[i]);
  if (slots.size() > kMostNames) names += ", ...";
  log_.info("waiting for members", {{"missing", slots.size()}, {"first", names}});
}

void Service::onProgress(const std::string& json) {
  passOn(json, status_, progress_);
}

void Service::onJobOver(ExitCode code, const std::string& reason) {
  const bool is_in_pod = !options_.job_uid.empty();  // the operator reads how it ended
  const auto step = is_in_pod && code != ExitCode::kDone ? status_.step() : std::nullopt;
  if (!end_) end_ = ProcessEnd{code, reason, step};
  if (code == ExitCode::kDone) progress_.writeLine(reason);  // the result is the last line
  reactor_.stop();
}

void Service::onSignal() {
  signalfd_siginfo info{};
  if (::read(options_.signal_fd, &info, sizeof(info)) != static_cast<ssize_t>(sizeof(info))) return;
  log_.info("asked to stop", {{"signal", info.ssi_signo}});
  member_.leave();
}

void Service::onQuestion() {
  if (takeQuestion(options_.question_fd)) wait_log_.tell(waits(), clock_.now());
}

}  // namespace sumac::server
