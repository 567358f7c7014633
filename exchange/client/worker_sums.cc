#include "exchange/client/worker_sums.h"

#include <utility>

namespace sumac::worker {

WorkerSums::WorkerSums(JobSetup setup, Kernels kernels, const WorkerSumsOptions& options)
    : coordinates_(options.index == coordinatorOf(/*servers=*/0).index),
      setup_(std::move(setup)),
      kernels_(std::move(kernels)),
      status_({Role::kWorker, options.index}, {options.job_uid, options.attempt}, clock_,
              ServerStatus::Place::kInWorker),
      progress_(options.progress_fd) {}

void WorkerSums::addTo(HttpServer::Routes& routes) {
  if (coordinates_) routes["/progress"] = [this] { return status_.progress(); };
  routes["/metrics"] = [this, own = std::move(routes["/metrics"])] {
    HttpAnswer answer = own();
    answer.body += status_.metrics().body;
    return answer;
  };
}

void WorkerSums::addTo(Roles& roles) {
  roles.summing = {.kernels = &*kernels_};
  if (!coordinates_) return;
  roles.coordinating = {.method = setup_.method,
                        .workers = setup_.workers,
                        .servers = 0,
                        .most = setup_.most,
                        .clock = &clock_,
                        .limits = setup_.limits};
  roles.plan_of = setup_.plan_of;
  roles.listener = this;
}

void WorkerSums::onProgress(const std::string& json) {
  passOn(json, status_, progress_);
}

void WorkerSums::onJobOver(ExitCode code, const std::string& reason) {
  if (code == ExitCode::kDone) progress_.writeLine(reason);  // the result is the last line
}

}  // namespace sumac::worker
