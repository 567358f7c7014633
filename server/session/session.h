#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/exit_code.h"
#include "common/base/result.h"
#include "common/kernels/kernel_table.h"
#include "common/link/link.h"
#include "common/membership/roster.h"
#include "common/plan/exchange_plan.h"

namespace sumac::server {

/// What a server knows at its start.
struct ServerIdentity {
  Member self;
  std::uint64_t job = 0;  // as in wire::Header
  std::string endpoint;   // where it listens
  std::string plan_text;  // the lines that it shares with the other servers
  int workers = 1;        // how many the coordinator waits for
  int servers = 1;
};

/// The plan of the job with data of so many words, which the first roster says; 0 for none. Fails
/// where the job's network cannot be made with them.
struct SumPlan {
  ExchangePlan exchange;
  std::string text;  // the lines that a worker must have
};
using PlanOf = std::function<Result<SumPlan>(int vocabulary)>;

/// What a session shows of itself, for metrics and logs.
struct SessionView {
  bool connected = false;     // to the coordinator, which has answered; always true of itself
  int members = 0;            // that the coordinator has let in, itself among them
  RosterOrder order;          // 0 before the first roster
  std::uint64_t refused = 0;  // pushes that did not fit
  std::uint64_t stale = 0;    // pushes of a generation that is over
};

/// What the session tells its process; called on the session's thread.
class Listener {
 public:
  virtual ~Listener() = default;
  /// A JSON line for whoever watches the job (coordinator only): progress, members, evaluation.
  virtual void onProgress(const std::string& json) = 0;
  /// Everyone who is to know has been told: leave with `code`; for kDone `reason` is the JSON
  /// result.
  virtual void onEnd(ExitCode code, const std::string& reason) = 0;
};

/// The server's side of synchronous exchange, and for server 0 the coordinator: a state machine
/// without sockets, clocks or threads. Owned by one thread, the reactor's or the simulator's.
class Session final : public link::Handler {
 public:
  /// `coordinator` is the endpoint of server 0; empty for server 0 itself.
  Session(ServerIdentity identity, PlanOf plan_of, std::string coordinator,
          const KernelTable& kernels, link::Link& link, Listener& listener);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  void start(TimePoint now);
  /// Heartbeats and suspicion; every 50 ms or so, and before other calls after a pause.
  void onTick(TimePoint now);

  void onMessage(link::Peer from, const wire::Header& header, BytesView payload) override;
  void onPeerUp(link::Peer peer) override;
  void onPeerDown(link::Peer peer, const std::string& why) override;

  /// SIGTERM came.
  void leave();

  SessionView view() const;
  /// The slots that the coordinator waits for; none when all are there, or of another server.
  std::vector<Slot> awaited() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sumac::server
