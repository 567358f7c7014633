#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/exit_code.h"
#include "common/base/result.h"
#include "common/base/wait.h"
#include "common/kernels/kernel_table.h"
#include "common/link/link.h"
#include "common/membership/roster.h"
#include "common/membership/sharing.h"
#include "common/trace/recorder.h"
#include "exchange/coordinator/sum_plan.h"
#include "exchange/coordinator/wait_limits.h"
#include "exchange/sums/push_rejection.h"

namespace sumac::server {

/// What a server knows when it starts.
struct ServerIdentity {
  Member self;
  std::uint64_t job = 0;  // as in wire::Header
  std::string endpoint;   // where it listens
  std::string plan_text;  // the plan lines that all servers share
  int workers = 1;        // for how many the coordinator waits
  int servers = 1;
  Slot coordinator{};  // server 0, or worker 0 where there are no servers
  Sharing sharing = Sharing::kServers;
  const Clock* clock = nullptr;  // outlives the session; what measures links, for Sharing::kAuto
  WaitLimits limits = {};        // of the coordinator
};

/// State of a session, for metrics and logs.
struct SessionView {
  bool connected = false;     // the coordinator has answered; always true for server 0
  int members = 0;            // admitted so far, including the coordinator
  RosterOrder order;          // 0 before the first roster
  RejectedPushes rejected{};  // pushes that did not fit, by reason
  std::uint64_t stale = 0;    // pushes of an outdated generation
};

/// Receives the session's events, on the session's thread.
class Listener {
 public:
  virtual ~Listener() = default;
  /// A JSON line about progress, members or an evaluation (coordinator only).
  virtual void onProgress(const std::string& json) = 0;
  /// The job has ended and the others know: exit with `code`; for kDone `reason` is the JSON
  /// result.
  virtual void onEnd(ExitCode code, const std::string& reason) = 0;
};

/// An owner of ranges in synchronous exchange, in the lowest slot also the coordinator: a state
/// machine without sockets, clocks or threads. A server joins by itself; in a worker's process, the
/// worker joins, and the rosters that it gets come here, too (link/shared_link.h). Owned by one
/// thread, the reactor's or the simulator's.
class Session final : public link::Handler {
 public:
  /// `coordinator` is the coordinator's endpoint; empty where a server need not join: for the
  /// coordinator itself, and in a worker's process.
  Session(ServerIdentity identity, PlanOf plan_of, std::string coordinator,
          const KernelTable& kernels, link::Link& link, Listener& listener);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Records the sums, and aligns clocks with the coordinator's. Call before start(); null: nothing
  /// is recorded.
  void traceTo(trace::Recorder* recorder);

  void start(TimePoint now);
  /// Sends heartbeats and detects lost members. Call about every 20 ms, and after a pause before
  /// any other call.
  void onTick(TimePoint now);

  void onMessage(link::Peer from, const wire::Header& header,
                 const link::PayloadPtr& payload) override;
  void onPeerUp(link::Peer peer) override;
  void onPeerDown(link::Peer peer, const std::string& why) override;
  void onRoom(link::Peer peer) override;
  void onSuspected(link::Peer peer, const std::string& why) override;

  /// The process received SIGTERM.
  void leave();

  SessionView view() const;
  /// Whom this server waits for, as of the last tick.
  std::vector<Wait> waits() const;
  /// The slots that are not taken yet; empty on other servers than the coordinator.
  std::vector<Slot> vacantSlots() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sumac::server
