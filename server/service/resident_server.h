#pragma once

#include <memory>
#include <optional>
#include <string>

#include "common/base/clock.h"
#include "common/coordination/resident.h"
#include "common/kernels/kernels.h"
#include "common/process/outlet.h"
#include "server/service/server_setup.h"
#include "server/service/server_status.h"
#include "server/session/session.h"

namespace sumac::server {

struct ResidentOptions {
  std::string job_file;
  std::optional<int> workers;  // instead of the document's
  int index = 0;               // of the worker
  std::string attempt;         // of the job
  std::string job_uid;         // of the TrainingJob, for /progress
  std::string kernels;         // the best instruction set to use; empty: the machine's best
  int progress_fd = -1;        // of worker 0's: gets JSON lines
};

/// A server in a worker's process, in jobs without servers of their own: sums the ranges that the
/// shard map gives to the worker and, in worker 0's process, coordinates.
class ResidentServer final : public coordination::Resident, private Listener {
 public:
  /// Fails with all problems of the document, or where there are no kernels.
  static Result<std::unique_ptr<Resident>> make(const ResidentOptions& options);

  void addTo(HttpServer::Routes& routes) override;
  void open(const coordination::ResidentIdentity& identity, link::Link& link) override;
  void start(TimePoint now) override { session_->start(now); }
  void onTick(TimePoint now) override;
  bool isOver() const override { return is_over_; }

  void onMessage(link::Peer from, const wire::Header& header,
                 const link::PayloadPtr& payload) override {
    session_->onMessage(from, header, payload);
  }
  void onPeerUp(link::Peer /*peer*/) override {}
  void onPeerDown(link::Peer /*peer*/, const std::string& /*why*/) override {}
  void onRoom(link::Peer peer) override { session_->onRoom(peer); }
  void onSuspected(link::Peer /*peer*/, const std::string& /*why*/) override {}

 private:
  ResidentServer(const ResidentOptions& options, ServerSetup setup, Kernels kernels);
  void onProgress(const std::string& json) override;
  void onEnd(ExitCode code, const std::string& reason) override;

  const ServerSetup setup_;
  const Kernels kernels_;
  SystemClock clock_;
  ServerStatus status_;
  Outlet progress_;
  std::unique_ptr<Session> session_;  // since open()
  bool is_over_;                      // nobody needs us at the end, unless we coordinate
};

}  // namespace sumac::server
