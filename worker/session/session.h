#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "common/base/exit_code.h"
#include "common/base/wait.h"
#include "common/kernels/kernel_table.h"
#include "common/link/link.h"
#include "common/membership/roster.h"
#include "common/plan/exchange_plan.h"
#include "common/plan/range_run.h"
#include "common/progress/worker_times.h"
#include "common/trace/recorder.h"
#include "exchange/member/contribution.h"

namespace sumac::worker {

/// What a worker tells the coordinator when it joins.
struct WorkerIdentity {
  Member self;
  std::uint64_t job = 0;             // as in wire::Header
  std::string plan_text;             // "key=value" lines that all workers share; docs/protocol.md
  std::vector<std::string> kernels;  // variants that this machine can run, slowest first
  Step newest_checkpoint = 0;        // 0 for none
  int vocabulary = 0;                // words of its data; 0 for none
  std::string description;           // CPU and build, named when weights diverge
  Slot coordinator{};                // server 0, or worker 0 where there are no servers
  std::string endpoint = {};         // where others reach this worker; empty: it does not listen
  std::uint64_t add_rate = 0;        // as in JoinRequest
  std::string algorithm = {};        // the same
};

/// State of a session, for metrics and logs.
struct SessionView {
  bool connected = false;     // the coordinator has answered
  RosterOrder order;          // 0 until this worker is admitted
  std::uint64_t limited = 0;  // values as large as fp16 allows: nearly all were larger
};

/// Receives the session's events for the trainer, in order, on the session's thread.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Admitted: start after roster.start_step with the parts of `block`. Called again when a later
  /// roster gives this worker other parts.
  virtual void onStart(const Roster& roster, TreeNode block) = 0;
  /// The sums of the ranges in `run` have arrived: of `sum` (ExchangePlan::values values), which is
  /// valid until the next begin(), these values are there. Says nothing of whether the step is to
  /// be finished.
  virtual void onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) = 0;
  /// All sums of `step` have arrived, and it is to be finished; the next step may be begun.
  virtual void onSum(Step step, std::span<const float> sum) = 0;
  /// Finish `step` and start no later one; then the lowest worker writes a checkpoint and calls
  /// checkpointed(). `step` may be finished already.
  virtual void onStopAfter(Step step) = 0;
  /// Stop after the last step whose sum has come, without an open one; write a checkpoint of it if
  /// `writes`. Also after onStopAfter(), where the agreed step does not come.
  virtual void onStopNow(bool writes) = 0;
  /// All workers that answer have the same weights after `step`: a checkpoint of it may be
  /// completed. Only the worker that writes it is told.
  virtual void onWeightsAgreed(Step step) = 0;
  /// What the workers have said of their time with these weights. Before onWeightsAgreed().
  virtual void onWorkerTimes(const std::vector<WorkerTimes>& /*times*/) {}
  /// The job ended for this worker: exit with `code` and `reason` (for kDone the JSON result).
  virtual void onEnd(ExitCode code, const std::string& reason) = 0;
};

/// The worker's side of synchronous exchange, wherever the sums are made: a state machine without
/// sockets, clocks or threads (docs/design/exchange.md#servers-only-sum). Owned by one thread, the
/// reactor's or the simulator's.
///
/// Invariants: no contribution to s+1 is sent before all sums of s have arrived, part state and
/// loss included; the contributions of s are kept until the first sum of s+1 has arrived; bytes
/// under way to one who sums never exceed its credit. A step has begun with begin(): what a trainer
/// computes before, from sums that came in part, it may discard.
class Session final : public link::Handler {
 public:
  /// `kernels` write and read values, those of any variant; null only with fp32. The references and
  /// they outlive us.
  Session(WorkerIdentity identity, const ExchangePlan& plan, std::string coordinator,
          link::Link& link, Trainer& trainer, const KernelTable* kernels = nullptr);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Records pushes and waits, and aligns the clock with the coordinator's. Call before start();
  /// null: nothing is recorded.
  void traceTo(trace::Recorder* recorder);

  /// Connects to the coordinator and asks to join.
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

  /// From the trainer: `step` has begun, and this is where the sums over this worker's block will
  /// be. The values are not copied and may be sent again: `lease` is held as long as that is so, by
  /// messages even when this session has ended.
  void begin(Step step, std::span<const Contribution> contributions, Lease lease);
  /// These ranges of the step begun last are final, each said once: they may be sent.
  void announce(std::span<const FinalRange> ranges);
  /// And all others are.
  void announceRest();
  /// `is_last`: of the job's last step, so this worker needs no other member any more.
  void reportWeights(Step step, std::uint32_t crc, const WorkerTimes& times = {},
                     bool is_last = false);
  void reportProgress(const std::string& json);
  void checkpointed(Step step);
  /// Trained to the end, with the final files durable; the lowest worker passes the JSON result (at
  /// most 1,024 bytes).
  void finished(const std::string& result);
  /// Trained to the step of onStopAfter() (and checkpointed).
  void stopped();
  /// What the trainer has got done so far, and whether it works now or waits for others: for the
  /// coordinator, which would not notice otherwise that it hangs.
  void tellWork(std::uint64_t done, bool works);
  /// The process received SIGTERM.
  void leave();
  /// This worker cannot continue; the others are told why.
  void fail(ExitCode code, const std::string& reason);

  SessionView view() const;
  /// Whom this worker waits for in its open step, as of the last tick.
  std::vector<Wait> waits() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace sumac::worker
