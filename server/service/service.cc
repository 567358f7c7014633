#include "server/service/service.h"

#include <utility>

#include <sys/signalfd.h>
#include <unistd.h>

#include "common/wire/job_hash.h"

namespace sumac::server {
namespace {

ServerIdentity identityOf(const ServiceOptions& options, const Setup& setup,
                          const std::string& endpoint) {
  ServerIdentity identity;
  identity.self = options.self;
  identity.job = wire::jobHash(setup.job.name, options.attempt);
  identity.endpoint = endpoint;
  identity.plan_text = setup.plan_text;
  identity.workers = setup.job.worker.replicas;
  identity.servers = setup.job.server.replicas;
  return identity;
}

}  // namespace

Result<std::unique_ptr<Service>> Service::open(link::Context& context, ServiceOptions options,
                                               const Setup& setup, const KernelTable& kernels,
                                               const Log& log) {
  const std::uint64_t job = wire::jobHash(setup.job.name, options.attempt);
  auto link = link::ZmqLink::open(context, {job, options.self, options.listen}, log);
  if (!link) return link.error();
  Outlet(options.ready_fd).writeLine((*link)->endpoint());
  return std::unique_ptr<Service>(
      new Service(std::move(link).value(), std::move(options), setup, kernels, log));
}

Service::Service(std::unique_ptr<link::ZmqLink> link, ServiceOptions options, const Setup& setup,
                 const KernelTable& kernels, const Log& log)
    : options_(std::move(options)),
      log_(log),
      progress_(options_.progress_fd),
      link_(std::move(link)),
      session_(identityOf(options_, setup, link_->endpoint()), setup.plan_of, options_.coordinator,
               kernels, *link_, *this),
      reactor_(*link_, clock_) {
  if (options_.signal_fd >= 0) {
    link_->watch(options_.signal_fd, [this] { onSignal(); });
  }
}

Service::~Service() = default;

ServiceEnd Service::run() {
  log_.info("listening", {{"endpoint", link_->endpoint()}});
  session_.start(clock_.now());
  reactor_.run(session_, [this](TimePoint now) { session_.onTick(now); });
  SUMAC_CHECK(end_.has_value());
  return *end_;
}

void Service::onProgress(const std::string& json) {
  progress_.writeLine(json);
}

void Service::onEnd(ExitCode code, const std::string& reason) {
  if (!end_) end_ = ServiceEnd{code, reason};
  if (code == ExitCode::kDone) progress_.writeLine(reason);  // the result is the last line
  reactor_.stop();
}

void Service::onSignal() {
  signalfd_siginfo info{};
  if (::read(options_.signal_fd, &info, sizeof(info)) != static_cast<ssize_t>(sizeof(info))) return;
  log_.info("asked to stop", {{"signal", info.ssi_signo}});
  session_.leave();
}

}  // namespace sumac::server
