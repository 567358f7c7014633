#include "server/service/resident_server.h"

#include <utility>

#include "common/membership/sharing.h"
#include "common/progress/job_event.h"

namespace sumac::server {
namespace {

const Slot kCoordinator = coordinatorOf(/*servers=*/0);

}  // namespace

Result<std::unique_ptr<coordination::Resident>> ResidentServer::make(
    const ResidentOptions& options) {
  auto setup = readSetup(options.job_file, options.workers);
  if (!setup) return setup.error();
  auto kernels = Kernels::loadBest(options.kernels);  // sums have the same bits in all
  if (!kernels) return kernels.error();
  return std::unique_ptr<Resident>(
      new ResidentServer(options, *std::move(setup), *std::move(kernels)));
}

ResidentServer::ResidentServer(const ResidentOptions& options, ServerSetup setup, Kernels kernels)
    : setup_(std::move(setup)),
      kernels_(std::move(kernels)),
      status_({Role::kWorker, options.index}, {options.job_uid, options.attempt}, clock_,
              ServerStatus::Place::kInWorker),
      progress_(options.progress_fd),
      is_over_(options.index != kCoordinator.index) {}

void ResidentServer::addTo(HttpServer::Routes& routes) {
  if (!is_over_) routes["/progress"] = [this] { return status_.progress(); };
  routes["/metrics"] = [this, own = std::move(routes["/metrics"])] {
    HttpAnswer answer = own();
    answer.body += status_.metrics().body;
    return answer;
  };
}

void ResidentServer::open(const coordination::ResidentIdentity& identity, link::Link& link) {
  ServerIdentity server;
  server.self = identity.self;
  server.job = identity.job;
  server.plan_text = setup_.plan_text;
  server.coordinator = kCoordinator;
  server.sharing = sharingOf(setup_.job.strategy);
  server.workers = setup_.job.worker.replicas;
  server.servers = 0;
  server.clock = &clock_;
  server.limits = setup_.limits;
  session_ = std::make_unique<Session>(std::move(server), setup_.plan_of,
                                       /*coordinator=*/std::string(), *kernels_, link,
                                       static_cast<Listener&>(*this));
  session_->traceTo(identity.recorder);
}

void ResidentServer::onTick(TimePoint now) {
  session_->onTick(now);
  status_.publish({}, session_->view());
}

void ResidentServer::onProgress(const std::string& json) {
  passOn(json, status_, progress_);
}

void ResidentServer::onEnd(ExitCode code, const std::string& reason) {
  if (code == ExitCode::kDone) progress_.writeLine(reason);  // the result is the last line
  is_over_ = true;
}

}  // namespace sumac::server
