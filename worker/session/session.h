#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/exit_code.h"
#include "common/link/link.h"
#include "common/membership/roster.h"
#include "common/plan/exchange_plan.h"
#include "worker/session/contribution.h"

namespace sumac::worker {

/// What a worker knows when it asks to be let in.
struct WorkerIdentity {
  Member self;
  std::uint64_t job = 0;  // as in wire::Header
  std::string plan_text;  // "key=value" lines that all workers must share; docs/protocol.md
  std::vector<std::string> kernels;  // variants that this machine has, slowest first
  Step newest_checkpoint = 0;        // 0 for none
  int vocabulary = 0;                // words of its data; 0 for none
  std::string description;           // CPU and build, named when weights diverge
};

/// What a session shows of itself, for metrics and logs.
struct SessionView {
  bool connected = false;  // to the coordinator, which has answered
  RosterOrder order;       // 0 until it let us in
};

/// What the session tells the trainer; called on the session's thread, in order.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Admitted: begin after roster.start_step with the parts of `block`. Called again when a later
  /// roster gives this worker other parts.
  virtual void onStart(const Roster& roster, TreeNode block) = 0;
  /// All ranges of `step` have come: `sum` (ExchangePlan::values long) lives until the next
  /// submit().
  virtual void onSum(Step step, std::span<const float> sum) = 0;
  /// Finish `step` and begin no later one; then, if this is the lowest worker, write a checkpoint
  /// and call checkpointed(). Steps finished already are fine.
  virtual void onStopAfter(Step step) = 0;
  /// The job ended for this worker: leave with `code` and `reason` (for kDone the JSON result).
  virtual void onEnd(ExitCode code, const std::string& reason) = 0;
};

/// The worker's side of the exchange with central, synchronous servers: a state machine without
/// sockets, clocks or threads (docs/design/exchange.md#servers-only-sum). Owned by one thread, the
/// reactor's or the simulator's.
///
/// Invariants: no contribution to s+1 is sent before every range of s has come; the contributions
/// of s are kept until the first sum of s+1 has come; bytes under way to a server never exceed its
/// credit.
class Session final : public link::Handler {
 public:
  Session(WorkerIdentity identity, const ExchangePlan& plan, std::string coordinator,
          link::Link& link, Trainer& trainer);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Connects to the coordinator and asks to be let in.
  void start(TimePoint now);
  /// Heartbeats and suspicion; every 50 ms or so, and before other calls after a pause.
  void onTick(TimePoint now);

  void onMessage(link::Peer from, const wire::Header& header, BytesView payload) override;
  void onPeerUp(link::Peer peer) override;
  void onPeerDown(link::Peer peer, const std::string& why) override;

  /// From the trainer: the sums over this worker's block for `step`. The values are not copied, and
  /// are sent again where that is needed: they live, unchanged, until the sum of the next step was
  /// handed over, or this session has ended.
  void submit(Step step, std::span<const Contribution> contributions);
  void reportWeights(Step step, std::uint32_t crc);
  void reportProgress(const std::string& json);
  void checkpointed(Step step);
  /// Trained to the end, final files durable; the lowest worker gives the JSON result (at most
  /// 1,024 bytes).
  void finished(const std::string& result);
  /// Trained to the step of onStopAfter() (and checkpointed).
  void stopped();
  /// SIGTERM came.
  void leave();
  /// This worker cannot go on; the others are told why.
  void fail(ExitCode code, const std::string& reason);

  SessionView view() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sumac::worker
