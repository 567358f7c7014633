#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/core/exit_code.h"
#include "exchange/link/link.h"
#include "exchange/member/contribution_exchange.h"
#include "exchange/member/membership.h"
#include "exchange/membership/roster.h"
#include "exchange/plan/exchange_plan.h"
#include "exchange/plan/range_run.h"
#include "job/progress/worker_times.h"
#include "kernels/kernel_table.h"

namespace sumac {

/// Receives a member's events for the trainer, in order, on the member's thread.
class Trainer {
 public:
  virtual ~Trainer() = default;

  /// Admitted: start after roster.start_step with the parts of `block`. Once.
  virtual void onStart(const Roster& roster, TreeNode block) = 0;
  /// The sums of the ranges in `run` have arrived: of `sum` (ExchangePlan::values values), which is
  /// valid until the next begin(), these values are there. Says nothing of whether the step is to
  /// be finished.
  virtual void onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) = 0;
  /// All sums of `step` have arrived, and it is to be finished; the next step may be begun.
  virtual void onSum(Step step, std::span<const float> sum) = 0;
  /// Finish `step` and start no later one; then worker 0 writes a checkpoint and calls
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
  /// Trained to the end, with the final files durable; worker 0 passes the JSON result (at
  /// most 1,024 bytes).
  void finished(const std::string& result);
  /// Trained to the step of onStopAfter() (and checkpointed).
  void stopped();
  /// This worker cannot continue; the others are told why.
  void fail(ExitCode code, const std::string& reason);

  // The member's events

  bool fits(const Roster& roster) const {
    return roster.workers() <= plan_->parts && contributions_.fits(roster);
  }
  void onRoster(const Roster& roster);
  void onControl(const wire::Header& header, BytesView payload);
  /// A message of a data lane, of a member of the roster.
  void onMessage(Slot from, const wire::Header& header, BytesView payload);
  /// A data lane that we dialled cannot be used.
  void onSuspected(Slot peer, const std::string& why);
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
    std::vector<Weights> weights;  // the newest
    std::optional<Step> checkpointed;
    std::optional<Step> stopped;
    std::optional<std::string> finished;
  };

  void tellWeights(const Weights& weights);
  bool needsNoSum() const;
  void prepare();
  void commit(Step step, std::uint64_t how);
  void deliver(Step step);

  const Member self_;
  const ExchangePlan* plan_;
  Trainer* trainer_;
  Membership* membership_;
  link::Link* link_;
  ContributionExchange contributions_;
  Step begun_ = 0;  // the highest step that the trainer may have begun
  bool is_prepared_ = false;
  std::optional<Step> committed_;
  std::optional<Step> held_;  // its sum has come, but the trainer would begin the next step on it
  Reported reported_;
  bool has_trained_ = false;  // all steps are done
};

}  // namespace sumac
