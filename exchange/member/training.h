#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/core/exit_code.h"
#include "exchange/link/link.h"
#include "exchange/member/contribution_exchange.h"
#include "exchange/member/membership.h"
#include "exchange/member/state_transfer.h"
#include "exchange/membership/roster.h"
#include "exchange/plan/exchange_plan.h"
#include "exchange/plan/range_run.h"
#include "job/progress/worker_times.h"
#include "kernels/kernel_table.h"

namespace sumac {

/// What a trainer knows of where to stop or to halt. A value type.
struct StopOrder {
  std::optional<Step> after;  // the last step to finish, 0: the last one that is done
  bool writes = false;        // a checkpoint, though this is not the writer
  bool halts = false;         // and wait for another roster

  bool operator==(const StopOrder&) const = default;
};

/// Receives a member's events for the trainer, in order, on the member's thread.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// A member of this roster: start after roster.start_step with the parts of `block`. Again only
  /// after Training::halted().
  virtual void onStart(const Roster& roster, TreeNode block) = 0;
  /// The sums of the ranges in `run` have arrived: of `sum` (ExchangePlan::values values), which is
  /// valid until the next begin(), these values are there. Says nothing of whether the step is to
  /// be finished.
  virtual void onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) = 0;
  /// All sums of `step` have arrived, and it is to be finished; the next step may be begun.
  virtual void onSum(Step step, std::span<const float> sum) = 0;
  /// Finish the step `order.after`, which may be done already, and start no later one; or, with 0,
  /// stop after the last step whose sum has come, without an open one. Then halt, if so, and call
  /// halted(); or stop: the writer, or who writes instead, makes a checkpoint and calls
  /// checkpointed(), and all call stopped(). The newest order counts.
  virtual void onStop(const StopOrder& order) = 0;
  /// The state that was to be received has come (Training::receive()), or has come wrong twice.
  virtual void onState(StateArrival arrival) = 0;
  /// All workers that answer have the same weights after `step`: a checkpoint of it may be
  /// completed. Only the worker that writes it is told.
  virtual void onWeightsAgreed(Step step) = 0;
  /// What the workers have said of their time with these weights. Before onWeightsAgreed().
  virtual void onWorkerTimes(const std::vector<WorkerTimes>& /*times*/) {}
  /// The job ended for this worker: exit with `code` and `reason` (for kDone the JSON result).
  virtual void onEnd(ExitCode code, const std::string& reason) = 0;
};

/// What a member needs that trains; all outlive it.
struct TrainingRole {
  const ExchangePlan* plan = nullptr;
  Trainer* trainer = nullptr;
  const KernelTable* kernels = nullptr;  // of any variant: write and read values; null only with
                                         // fp32
};

/// The part of a member that trains: takes its contributions to those who sum, follows the vote on
/// stopping, and reports to the coordinator (docs/design/exchange.md#servers-only-sum). Owned by
/// the member's thread.
///
/// Invariants: no contribution to s+1 is sent before all sums of s have arrived, part state and
/// loss included; bytes under way to one who sums never exceed its credit. A step has begun with
/// begin(): what a trainer computes before, from sums that came in part, it may discard.
class Training {
 public:
  /// The references outlive us.
  Training(Member self, const TrainingRole& role, Membership& membership, link::Link& link);

  /// Where the trainer's contributions go, and its sums come from.
  ContributionExchange& contributions() { return contributions_; }
  const ContributionExchange& contributions() const { return contributions_; }

  // The trainer's reports, which a new connection repeats where they may be lost.

  /// `is_last`: of the job's last step, so this worker needs no other member any more.
  void reportWeights(Step step, std::uint32_t crc, const WorkerTimes& times = {},
                     bool is_last = false);
  void reportProgress(const std::string& json);
  void checkpointed(Step step);
  /// Another process has completed the checkpoint of `step`, after which the others begin: the
  /// writer's roster starts before that. Call before the roster's first step.
  void foundCheckpoint(Step step);
  /// Trained to the end, with the final files durable; worker 0 passes the JSON result (at
  /// most 1,024 bytes).
  void finished(const std::string& result);
  /// Trained to the step of onStop() (and checkpointed).
  void stopped();
  /// Halted: has the state of `done`, or, with none, no state; changes and reads nothing until
  /// Trainer::onStart(). What was to be received is written to no more.
  void halted(std::optional<Step> done);
  /// This worker cannot continue; the others are told why, or go on without it where they can and
  /// the cause is of its machine (kResourceFailed, kBadConfiguration).
  void fail(ExitCode code, const std::string& reason);

  // States

  /// This worker has the roster's state, in memory that stays as StateTransfer::offer() says.
  void offer(StateView state) {
    states_.offer(std::move(state));
    sendStatesFirst();
  }
  /// It lacks that; Trainer::onState() says when it is there.
  void receive(StateRoom room) { states_.receive(std::move(room)); }

  // The member's events

  /// Whether a roster can be followed now: the first one, or the trainer has halted.
  bool fits(const Roster& roster) const {
    return roster.workers() <= plan_->parts && contributions_.fits(roster);
  }
  bool isReady() const { return !membership_->roster() || is_halted_; }
  /// The coordinator is lost: halt.
  void onOrphaned();
  /// The step whose state the halted trainer has.
  std::optional<Step> done() const { return is_halted_ ? *reported_.halted : std::nullopt; }
  void onRoster(const Roster& roster);
  void onControl(const wire::Header& header, BytesView payload);
  /// A message of a data lane, of a member of the roster.
  void onMessage(Slot from, const wire::Header& header, BytesView payload);
  /// A data lane that we dialled cannot be used.
  void onSuspected(Slot peer, const std::string& why);
  void onRoom(Slot peer);
  void repeatReports();
  void onEnd(ExitCode code, const std::string& reason);

 private:
  struct Weights {
    Step step = 0;
    std::uint32_t crc = 0;
    std::string times;
    bool is_last = false;
  };
  // What the coordinator must know of us even when the connection broke while we said it.
  struct Reported {
    std::vector<Weights> weights = {};  // the newest
    std::optional<Step> checkpointed = std::nullopt;
    std::optional<Step> found = std::nullopt;
    std::optional<Step> stopped = std::nullopt;
    std::optional<std::string> finished = std::nullopt;
    std::optional<std::optional<Step>> halted = std::nullopt;
    bool is_ready = false;
  };

  void tellWeights(const Weights& weights);
  bool needsNoSum() const;
  bool sums() const;
  void prepare();
  void commit(Step step, wire::Commit how);
  bool isOfRoster(const wire::Header& header) const;
  void tellHalted();
  void tellFound();
  void sendStatesFirst();
  void tellReady();
  void tellSuspects();
  void deliver(Step step);

  const Member self_;
  const ExchangePlan* plan_;
  Trainer* trainer_;
  Membership* membership_;
  link::Link* link_;
  ContributionExchange contributions_;
  StateTransfer states_;
  Step begun_ = 0;  // the highest step that the trainer may have begun
  bool is_prepared_ = false;
  std::optional<Step> committed_;
  std::optional<Step> held_;  // its sum has come, but the trainer would begin the next step on it
  bool is_stopping_ = false;  // committed_ is of a stop, which nothing but a stop replaces
  Reported reported_;
  std::set<Member> suspects_;  // of the roster: lanes to them cannot be used
  bool has_trained_ = false;   // all steps are done
  bool is_halted_ = false;     // the trainer has
};

}  // namespace sumac
