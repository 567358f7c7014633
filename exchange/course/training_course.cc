#include "exchange/course/training_course.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/core/check.h"

namespace sumac::worker {
namespace {

// Of these tasks those that are due, in this order. A checkpoint is drafted while others may still
// compute, and completed when all have its weights.
// First the checkpoint: an evaluation may take long, and is lost with this process.
constexpr std::array kNextStep = {Task::kStep,
                                  Task::kFinishStep,
                                  Task::kReportWeights,
                                  Task::kReportProgress,
                                  Task::kDraftCheckpoint,
                                  Task::kAwaitAgreement,
                                  Task::kCompleteCheckpoint,
                                  Task::kEvaluate};
// What a roster begins with.
constexpr std::array kStart = {Task::kReceiveState, Task::kReportWeights, Task::kAwaitAgreement,
                               Task::kCompleteCheckpoint, Task::kEvaluate};
constexpr std::array kHalt = {Task::kSayHalted, Task::kAwaitRoster, Task::kBeginAnew};
constexpr std::array kStop = {Task::kReportWeights,
                              Task::kDraftCheckpoint,
                              Task::kAwaitAgreement,
                              Task::kCompleteCheckpoint,
                              Task::kSayStopped,
                              Task::kAwaitEnd,
                              Task::kExit};
// First the model: where not all has room, it is worth most.
constexpr std::array kFinish = {Task::kReportWeights,      Task::kAwaitAgreement,
                                Task::kWriteModel,         Task::kDraftCheckpoint,
                                Task::kCompleteCheckpoint, Task::kEvaluate,
                                Task::kWriteResult,        Task::kSayFinished,
                                Task::kAwaitEnd,           Task::kExit};
constexpr std::array kFail = {Task::kSayFailed, Task::kAwaitEnd, Task::kExit};
// Another worker may have failed at the very end.
constexpr std::array kLeave = {Task::kRemoveResult, Task::kExit};

std::string_view textOf(Task task) {
  switch (task) {
    case Task::kStep: return "step";
    case Task::kFinishStep: return "finish step";
    case Task::kReportWeights: return "report weights";
    case Task::kReportProgress: return "report progress";
    case Task::kEvaluate: return "evaluate";
    case Task::kDraftCheckpoint: return "draft checkpoint";
    case Task::kAwaitAgreement: return "await agreement";
    case Task::kCompleteCheckpoint: return "complete checkpoint";
    case Task::kWriteModel: return "write model";
    case Task::kWriteResult: return "write result";
    case Task::kReceiveState: return "receive state";
    case Task::kSayHalted: return "say halted";
    case Task::kAwaitRoster: return "await roster";
    case Task::kBeginAnew: return "begin anew";
    case Task::kSayStopped: return "say stopped";
    case Task::kSayFinished: return "say finished";
    case Task::kSayFailed: return "say failed";
    case Task::kAwaitEnd: return "await end";
    case Task::kRemoveResult: return "remove result";
    case Task::kExit: return "exit";
  }
  return "unknown";
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Task task) {
  return out << textOf(task);
}

std::ostream& operator<<(std::ostream& out, const Action& action) {
  constexpr std::array<std::string_view, 4> kSplits = {"", " valid", " test", " valid and test"};
  return out << action.task << ' ' << action.step
             << kSplits.at(static_cast<std::size_t>(action.splits))
             << (action.leaves_open ? " open" : "");
}

TrainingCourse::TrainingCourse(const Options& options)
    : options_(options), done_(options.from), progressed_(options.from) {
  SUMAC_CHECK(options.from <= options.total_steps, options.from, options.total_steps);
}

Action TrainingCourse::begin(const StopOrder& stop, TimePoint now) {
  now_ = now;
  kept_at_ = now;
  return start(stop);
}

/// A draft that not all have agreed on is completed once they have: who has drafted halts with the
/// draft's step, so that is what all begin with, unless this worker lacks their state.
Action TrainingCourse::beginAnew(const Options& options, const StopOrder& stop, TimePoint now) {
  now_ = now;
  options_ = options;
  done_ = options.from;
  open_ = 0;
  progressed_ = options.from;
  reported_ = -1;
  has_draft_ = has_draft_ && options.is_writer && !options.lacks_state;
  return start(stop);
}

Action TrainingCourse::start(const StopOrder& stop) {
  lacks_state_ = options_.lacks_state;
  enter(Phase::kStart);
  return choose(stop);
}

Action TrainingCourse::next(Outcome outcome, const StopOrder& stop, TimePoint now) {
  now_ = now;
  take(outcome, stop);
  return choose(stop);
}

void TrainingCourse::enter(Phase phase) {
  phase_ = phase;
  switch (phase) {
    case Phase::kStart: tasks_ = kStart; break;
    case Phase::kSteps: tasks_ = kNextStep; break;
    case Phase::kStop: tasks_ = kStop; break;
    case Phase::kHalt: tasks_ = kHalt; break;
    case Phase::kFinish: tasks_ = kFinish; break;
    case Phase::kFail: tasks_ = kFail; break;
    case Phase::kLeave: tasks_ = kLeave; break;
  }
}

void TrainingCourse::take(Outcome outcome, const StopOrder& stop) {
  switch (outcome) {
    case Outcome::kNoSum: return endStep(stop);
    case Outcome::kFailed: return enter(Phase::kFail);
    case Outcome::kEnded: return enter(Phase::kLeave);
    case Outcome::kComplete: has_result_ = false; return enter(Phase::kLeave);
    // In mid-training the steps up to the stop come first.
    case Outcome::kBrokenOff: return phase_ == Phase::kFinish ? enter(Phase::kStop) : void();
    case Outcome::kSkipped: return phase_ == Phase::kStop ? enter(Phase::kFail) : skipCheckpoint();
    // What is trained to the end is worth more than its last checkpoint.
    case Outcome::kNotKept:
      return phase_ == Phase::kFinish ? skipCheckpoint() : enter(Phase::kFail);
    case Outcome::kNotBegun:
      SUMAC_CHECK(open_ > 0, done_);
      done_ = std::exchange(open_, 0);
      return;
    case Outcome::kDone: break;
  }
  if (current_ == Task::kStep) {
    done_ = options_.overlaps ? std::max(done_, open_) : done_ + 1;
    open_ = options_.overlaps ? done_ + 1 : 0;
  }
  if (current_ == Task::kFinishStep) done_ = std::exchange(open_, 0);
  if (current_ == Task::kReportProgress) progressed_ = done_;
  if (current_ == Task::kReportWeights) reported_ = done_;
  if (current_ == Task::kEvaluate) evaluated_ = done_;
  if (current_ == Task::kReceiveState) lacks_state_ = false;
  if (current_ == Task::kDraftCheckpoint) has_draft_ = true;
  if (current_ == Task::kCompleteCheckpoint) {
    has_draft_ = false;
    kept_ = done_;
    kept_at_ = now_;
  }
  if (current_ == Task::kWriteResult) has_result_ = true;
}

/// Training goes on without it.
void TrainingCourse::skipCheckpoint() {
  has_draft_ = false;
  kept_at_ = now_;
}

/// Where a draft waited while the next step was open, that step is ended first: the draft is of
/// none that all go on from.
void TrainingCourse::endStep(const StopOrder& stop) {
  if (current_ == Task::kAwaitAgreement && open_ > 0) {
    has_draft_ = false;
    tasks_ = {};
    return;
  }
  open_ = 0;
  enter(stop.halts ? Phase::kHalt : Phase::kStop);
}

Action TrainingCourse::choose(const StopOrder& stop) {
  do {
    if (tasks_.empty()) enter(phaseAfterStep(stop));
    current_ = tasks_.front();
    tasks_ = tasks_.subspan(1);
  } while (!isDue(current_, stop));
  if (current_ == Task::kFinishStep) return {current_, open_};
  if (current_ != Task::kStep)
    return {current_, done_, current_ == Task::kEvaluate ? splits() : Splits::kNone};
  return {.task = current_, .step = std::max(done_, open_) + 1, .leaves_open = options_.overlaps};
}

/// Whether the step that is open is to be done before the next one begins.
bool TrainingCourse::mustFinish(const StopOrder& stop) const {
  if (open_ == 0) return false;
  return stop.after || open_ == options_.total_steps || isReportDue(open_) ||
         isCheckpointDue(open_) || (options_.is_writer && isEvaluationDue(open_));
}

TrainingCourse::Phase TrainingCourse::phaseAfterStep(const StopOrder& stop) const {
  SUMAC_CHECK(phase_ <= Phase::kSteps);  // the others end with kExit
  if (open_ > 0) return Phase::kSteps;
  if (done_ >= options_.total_steps) return Phase::kFinish;
  if (!stop.after || done_ < *stop.after) return Phase::kSteps;
  return stop.halts ? Phase::kHalt : Phase::kStop;
}

bool TrainingCourse::isDue(Task task, const StopOrder& stop) const {
  const bool in_steps = phase_ == Phase::kSteps;
  const bool is_after_step = !in_steps || open_ == 0;
  switch (task) {
    case Task::kStep: return !mustFinish(stop) && phaseAfterStep(stop) == Phase::kSteps;
    case Task::kFinishStep: return mustFinish(stop) && !isProgressDue() && !isTimedReportDue();
    case Task::kReceiveState: return lacks_state_;
    case Task::kReportWeights:
      if (lacks_state_) return false;
      if (phase_ == Phase::kStart) return options_.reports_first;
      if (in_steps && isTimedReportDue()) return true;
      return is_after_step && reported_ != done_ &&
             (!in_steps || isReportDue(done_) || isCheckpointDue(done_));
    case Task::kEvaluate:
      if (phase_ == Phase::kStart) return isOwed();
      return is_after_step && options_.is_writer &&
             (phase_ == Phase::kFinish ? options_.is_validated || evaluated_ != done_
                                       : isEvaluationDue(done_));
    case Task::kDraftCheckpoint: return options_.keeps_checkpoints && isDraftDue(stop);
    case Task::kAwaitAgreement:
      return has_draft_ || (phase_ == Phase::kFinish && options_.is_writer);
    case Task::kCompleteCheckpoint: return has_draft_;
    case Task::kReportProgress: return isProgressDue();
    case Task::kWriteModel:
    case Task::kWriteResult: return options_.is_writer;
    case Task::kRemoveResult: return has_result_;
    default: return true;
  }
}

/// Of one step no checkpoint is made twice.
bool TrainingCourse::isDraftDue(const StopOrder& stop) const {
  if (done_ == kept_ || lacks_state_) return false;
  if (phase_ != Phase::kSteps) return options_.is_writer || (phase_ == Phase::kStop && stop.writes);
  if (!options_.is_writer) return false;
  if (open_ == 0 && isCheckpointDue(done_)) return true;
  return isTimed(done_) && reported_ == done_ && now_ - kept_at_ >= options_.checkpoint_interval;
}

/// After the last step there is one anyway.
bool TrainingCourse::isOwed() const {
  return options_.is_writer && options_.owes_evaluation && done_ != evaluated_ &&
         done_ < options_.total_steps;
}

// The same in all workers.
bool TrainingCourse::isReportDue(Step step) const {
  return step % kReportWeightsEvery == 0;
}

/// The same in all workers.
bool TrainingCourse::isCheckpointDue(Step step) const {
  const Step every = options_.checkpoint_every;
  return every > 0 && step % every == 0 && step < options_.total_steps;
}

/// Whether the checkpoint of this step may be made by time. The same in all workers.
bool TrainingCourse::isTimed(Step step) const {
  return options_.checkpoint_interval > Duration{} && step > options_.from &&
         step % kReportTimedEvery == 0 && step < options_.total_steps;
}

/// Between two steps: the last evaluation comes after the last checkpoint.
bool TrainingCourse::isEvaluationDue(Step step) const {
  const Step every = options_.evaluation_every_epochs;
  const Step epochs = step / options_.steps_per_epoch;
  return every > 0 && step % options_.steps_per_epoch == 0 && epochs % every == 0 &&
         step < options_.total_steps;
}

Splits TrainingCourse::splits() const {
  if (!options_.is_validated) return Splits::kTest;
  if (phase_ != Phase::kFinish) return Splits::kValid;
  return evaluated_ == done_ ? Splits::kTest : Splits::kBoth;
}

bool owesEvaluation(Step from, Step every, Step evaluated,
                    const std::function<std::optional<Step>()>& written) {
  const Step due = every > 0 ? from - from % every : 0;
  if (due == 0 || evaluated >= due) return false;
  const std::optional<Step> newest = written();
  return newest ? *newest < due : due == from;
}

bool isCompleteAt(ExitCode end, bool has_result) {
  const bool is_early = end == ExitCode::kLostPeers || end == ExitCode::kStopped;
  return end == ExitCode::kDone || (is_early && has_result);
}

}  // namespace sumac::worker
