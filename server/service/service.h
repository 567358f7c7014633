#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/keys/keyring.h"
#include "base/log/log.h"
#include "base/process/outlet.h"
#include "base/process/process_end.h"
#include "base/telemetry/http_server.h"
#include "base/telemetry/stuck.h"
#include "exchange/coordinator/job_setup.h"
#include "exchange/link/lanes.h"
#include "exchange/link/reactor.h"
#include "exchange/member/job_member.h"
#include "exchange/status/server_status.h"
#include "kernels/kernel_table.h"

namespace sumac::server {

struct ServiceOptions {
  Member self;
  std::string attempt;                            // of the job
  std::string token;                              // of the attempt; empty: none
  std::string coordinator;                        // endpoint of server 0; empty for server 0 itself
  std::string listen;                             // "tcp://127.0.0.1:0" picks a port
  std::shared_ptr<const Keyring> keys = nullptr;  // null: no encryption
  Duration orphan_patience{};  // where members may change it waits so long for another coordinator
  int ready_fd = -1;           // gets the endpoint once it listens
  int progress_fd = -1;        // gets JSON lines
  int signal_fd = -1;          // readable when the process is asked to stop: a signalfd
  int question_fd = -1;        // readable when it is asked whom it waits for: a signalfd
  std::string status_listen;   // HOST:PORT for health, metrics and progress; empty: none
  std::string job_uid;         // of the TrainingJob, for /progress
  trace::Recorder* recorder = nullptr;  // outlives us; null: nothing is traced
};

/// One server of one job: link, member and reactor, on the thread that calls run().
class Service final : private MemberListener {
 public:
  /// Starts to listen. `setup`, `context` and `kernels` outlive us.
  static Result<std::unique_ptr<Service>> open(link::Context& context, ServiceOptions options,
                                               const JobSetup& setup, const KernelTable& kernels,
                                               const Log& log);
  ~Service() override;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  /// The data endpoint, with the port as a number.
  const std::string& endpoint() const { return link_->endpoint(); }

  /// The address of health, metrics and progress, with the port as a number; empty without one.
  std::string statusAddress() const { return http_ ? http_->address() : std::string(); }

  /// Runs until the job ends, or until the others know that this server leaves.
  ProcessEnd run();

 private:
  Service(std::unique_ptr<link::ZmqLink> link, ServiceOptions options, const JobSetup& setup,
          const KernelTable& kernels, const Log& log);
  Result<void> startStatus();
  void onProgress(const std::string& json) override;
  void onJobOver(ExitCode code, const std::string& reason) override;
  void onSignal();
  void onQuestion();
  void onTick(TimePoint now);
  void logMissingMembers(TimePoint now);
  Roles rolesOf(const JobSetup& setup, const KernelTable& kernels);
  link::Statistics statistics() const;
  std::vector<Wait> waits() const;

  ServiceOptions options_;
  Log log_;
  SystemClock clock_;
  ServerStatus status_;
  Outlet progress_;
  std::unique_ptr<link::ZmqLink> link_;
  link::Lanes lanes_;
  JobMember member_;
  link::Reactor reactor_;
  WaitLog wait_log_;
  TimePoint next_reminder_;  // when to log again which members are missing
  std::optional<ProcessEnd> end_;
  std::unique_ptr<HttpServer> http_;  // last: its thread reads what is above
};

}  // namespace sumac::server
