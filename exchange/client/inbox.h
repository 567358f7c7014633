#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/process/process_end.h"
#include "exchange/member/training.h"
#include "exchange/membership/roster.h"

namespace sumac::worker {

/// A member of this roster: train after roster.start_step with the parts of `block`.
struct Start {
  Roster roster;
  TreeNode block;
};

/// The sums of one step, ExchangePlan::values values; valid until the next step is begun.
struct Sum {
  std::span<const float> values;
};

/// The step that was waited for is not to be finished; `step` is the last one that is, 0: the last
/// one that is done.
struct StopAfter {
  Step step = 0;
};

/// Of the sums of one step, so many ranges that follow each other have come; valid as Sum is.
struct PartialSum {
  std::span<const float> values;  // of all ranges
  std::uint32_t ranges = 0;
};

/// All workers that answer have the same weights.
struct Agreed {};

/// The deadline of a wait came first: wait again, or give up.
struct NotYet {};

/// What a wait for the first roster ends with.
using JoinEvent = std::variant<Start, ProcessEnd, NotYet>;
/// What a wait for a step ends with.
using StepEvent = std::variant<Sum, StopAfter, ProcessEnd, NotYet>;
/// What a wait for the roster that follows a halt ends with; StopAfter: the job stops instead.
using RosterEvent = std::variant<Start, StopAfter, ProcessEnd, NotYet>;
/// What a wait for a state ends with; StopAfter: it is not to be awaited any more.
using StateEvent = std::variant<StateArrival, StopAfter, ProcessEnd, NotYet>;
/// What a wait for equal weights ends with; StopAfter: halt first.
using AgreementEvent = std::variant<Agreed, StopAfter, ProcessEnd, NotYet>;
/// What a wait for the job's end ends with; StopAfter: halt.
using EndEvent = std::variant<StopAfter, ProcessEnd, NotYet>;

/// What the member has told the trainer and the trainer has not taken yet: says what each wait of
/// the trainer's ends with. A state machine without threads; its owner has the lock.
class Inbox {
 public:
  /// Forgets what came under the roster before, except which weights all workers agreed on.
  void onStart(const Roster& roster, TreeNode block) {
    start_ = Start{roster, block};
    sum_.reset();
    partial_ = {};
    stop_ = {};
    arrival_.reset();
  }
  void onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) {
    if (partial_.step != step) partial_ = {step, sum, {}};
    const std::size_t end = run.range + run.ranges;
    if (partial_.has.size() < end) partial_.has.resize(end, false);
    std::fill_n(partial_.has.begin() + run.range, run.ranges, true);
  }
  void onSum(Step step, std::span<const float> sum) { sum_ = Received{step, sum}; }
  void onStop(const StopOrder& order) { stop_ = order; }
  void onState(StateArrival arrival) { arrival_ = arrival; }
  // Who joins again repeats older ones.
  void onWeightsAgreed(Step step) { agreed_ = std::max(agreed_.value_or(step), step); }
  void onWorkerTimes(const std::vector<WorkerTimes>& times) { times_ = times; }
  void onEnd(ExitCode code, const std::string& reason) {
    if (!end_) end_ = ProcessEnd{code, reason};
  }

  const std::optional<Start>& start() const { return start_; }
  const StopOrder& stopOrder() const { return stop_; }
  /// As of the newest weights that all have.
  const std::vector<WorkerTimes>& workerTimes() const { return times_; }
  const std::optional<ProcessEnd>& end() const { return end_; }
  /// A stop is decided, or the job has ended. Not a halt: what is lost by one goes on after it.
  bool isEnding() const { return end_ || (stop_.after && !stop_.halts); }
  /// Whether this worker is to halt.
  bool isHalting() const { return stop_.after && stop_.halts; }
  /// Whether it is to halt and `step` is done: others may have halted, and report nothing more.
  bool mustHaltAfter(Step step) const { return isHalting() && *stop_.after <= step; }
  /// All workers that answer have the same weights after `step`, and after no later one yet.
  bool isAgreed(Step step) const { return agreed_ == step; }

  /// What came of `step`; nothing yet: wait. A sum that is there is used even
  /// where the others stop before it.
  std::optional<StepEvent> sumOf(Step step) const {
    if (end_) return *end_;
    if (sum_ && sum_->step == step) return Sum{sum_->values};
    if (stop_.after && *stop_.after < step) return StopAfter{*stop_.after};
    return std::nullopt;
  }

  /// A roster of a higher order than `seen`.
  std::optional<RosterEvent> rosterAfter(RosterOrder seen) const {
    if (end_) return *end_;
    if (start_ && start_->roster.order > seen) return *start_;
    if (stop_.after && !stop_.halts) return StopAfter{*stop_.after};
    return std::nullopt;
  }

  /// What became of the state of the roster's start. A stop after a later step needs it.
  std::optional<StateEvent> state() const {
    if (end_) return *end_;
    if (arrival_) return *arrival_;
    if (stop_.after && *stop_.after <= start_->roster.start_step) return StopAfter{*stop_.after};
    return std::nullopt;
  }

  std::optional<JoinEvent> joined() const {
    if (end_) return *end_;
    if (start_) return *start_;
    return std::nullopt;
  }

  /// Whether all workers agreed on the weights after `step`.
  std::optional<AgreementEvent> agreement(Step step) const {
    if (isAgreed(step)) return Agreed();
    if (end_) return *end_;
    if (mustHaltAfter(step)) return StopAfter{*stop_.after};
    return std::nullopt;
  }

  std::optional<EndEvent> endOrHalt() const {
    if (end_) return *end_;
    if (isHalting()) return StopAfter{*stop_.after};
    return std::nullopt;
  }

  /// Whether it is known that `step` is not to be finished. Its last sums may come all the same.
  bool isOver(Step step) const {
    const auto came = sumOf(step);
    return came && !std::holds_alternative<Sum>(*came);
  }

  /// Which of the ranges from `first` to before `end` have come of `step`, one after the other from
  /// the first on.
  PartialSum partialSumOf(Step step, std::uint32_t first, std::uint32_t end) const {
    if (partial_.step != step) return {};
    PartialSum found{partial_.values, 0};
    end = std::min(end, static_cast<std::uint32_t>(partial_.has.size()));
    while (first + found.ranges < end && partial_.has[first + found.ranges])
      ++found.ranges;
    return found;
  }

 private:
  struct Received {
    Step step = 0;
    std::span<const float> values;
  };

  struct Partial {
    Step step = 0;
    std::span<const float> values;
    std::vector<bool> has;  // by range
  };

  std::optional<Start> start_;
  std::optional<Received> sum_;
  Partial partial_;
  StopOrder stop_;
  std::optional<StateArrival> arrival_;
  std::optional<Step> agreed_;  // the newest step of which all weights are known to be the same
  std::vector<WorkerTimes> times_;
  std::optional<ProcessEnd> end_;
};

}  // namespace sumac::worker
