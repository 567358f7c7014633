#pragma once

#include <string>

#include "base/core/clock.h"
#include "base/process/outlet.h"
#include "base/telemetry/http_server.h"
#include "exchange/coordinator/job_setup.h"
#include "exchange/member/job_member.h"
#include "exchange/status/server_status.h"
#include "kernels/kernels.h"

namespace sumac::worker {

struct WorkerSumsOptions {
  int index = 0;         // of the worker
  std::string attempt;   // of the job
  std::string job_uid;   // of the TrainingJob, for /progress
  int progress_fd = -1;  // of worker 0's: gets JSON lines
};

/// What a worker does besides training in a job without servers: it sums ranges and, as worker 0,
/// coordinates. Has what its member needs for that, and tells what comes of it, as a server does.
class WorkerSums final : public MemberListener {
 public:
  /// Kernels of any variant: sums have the same bits in all.
  WorkerSums(JobSetup setup, Kernels kernels, const WorkerSumsOptions& options);

  /// Adds what it answers over HTTP to the worker's routes, which refer to this object.
  void addTo(HttpServer::Routes& routes);
  /// Adds the roles to the worker's own; they refer to this object.
  void addTo(Roles& roles);

  /// On the member's thread, as all that follows.
  void publish(const MemberView& member) { status_.publish({}, member); }
  void onProgress(const std::string& json) override;
  void onJobOver(ExitCode code, const std::string& reason) override;

 private:
  const bool coordinates_;
  const JobSetup setup_;
  const Kernels kernels_;
  SystemClock clock_;
  ServerStatus status_;
  Outlet progress_;
};

}  // namespace sumac::worker
