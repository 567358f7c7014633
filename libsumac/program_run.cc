#include "libsumac/program_run.h"

#include <string>
#include <utility>
#include <variant>

#include "libsumac/misuse.h"

namespace sumac::program {

using worker::Action;
using worker::Outcome;
using worker::Task;

ProgramRun::ProgramRun(const ProgramSetup& setup, worker::JobExchange& exchange,
                       const Kernels& kernels, Member self, const Surroundings& surroundings)
    : setup_(setup),
      exchange_(exchange),
      log_(surroundings.log),
      published_(surroundings.published),
      registered_(surroundings.registered),
      self_(self),
      started_(wall_clock_.now()),
      sums_(setup.plan, kernels),
      reporter_(exchange, timer_, clock_, log_,
                {.total_steps = setup.total_steps,
                 .steps_per_epoch = setup.steps_per_epoch,
                 .batch_size = setup.batchSize(),
                 .is_text = false}),
      files_(setup, exchange, reporter_, wall_clock_, log_) {}

Next ProgramRun::next(TimePoint until) {
  if (stage_ == Stage::kOver) return over();
  checkAnswered();
  takeAnswer();
  while (goOn(until)) {
  }
  if (stage_ == Stage::kOver) return over();
  return asked_ == Ask::kNothing ? Next::kTimeout : Next::kTurn;
}

/// Throws unless the program has done what it was asked for.
void ProgramRun::checkAnswered() const {
  if (asked_ == Ask::kCompute && !sums_.isWhole() && !isOver(turn_.step))
    throw Misuse("sumac_next: part " + std::to_string(sums_.next()) + " of step " +
                 std::to_string(turn_.step) +
                 " was not added: call sumac_add() for every part of "
                 "the turn first");
  if ((asked_ == Ask::kUpdate || asked_ == Ask::kLoad) && stated_ != turn_.step)
    throw Misuse("sumac_next: call sumac_state_is() with the state of step " +
                 std::to_string(turn_.step) + " first");
}

void ProgramRun::takeAnswer() {
  const Ask answered = std::exchange(asked_, Ask::kNothing);
  if (answered != Ask::kLoad) return;
  held_ = turn_.step;
  is_loaded_ = true;
  state_ = {};
}

bool ProgramRun::isOver(Step step) const {
  if (exchange_.end()) return true;
  const StopOrder stop = exchange_.stopOrder();
  return stop.after && *stop.after < step;
}

/// One thing more; false: the program is to do something, or the deadline has come, or all is over.
bool ProgramRun::goOn(TimePoint until) {
  switch (stage_) {
    case Stage::kJoin: return join(until);
    case Stage::kEnter: return enter();
    case Stage::kLoad: stage_ = Stage::kBegin; return true;
    case Stage::kBegin: return begin();
    case Stage::kCourse: return followCourse(until);
    case Stage::kGiveUp: return awaitGivenUp(until);
    case Stage::kOver: return false;
  }
  return false;
}

bool ProgramRun::join(TimePoint until) {
  auto event = exchange_.join(until);
  if (isNotYet(event)) return false;
  if (auto* const end = std::get_if<ProcessEnd>(&event)) {
    end_ = std::move(*end);
    stage_ = Stage::kOver;
    return false;
  }
  start_ = std::get<worker::Start>(std::move(event));
  stage_ = Stage::kEnter;
  return true;
}

/// As a member of the newest roster: memory for the parts, the files where this worker writes them,
/// and the state, unless another worker sends it.
bool ProgramRun::enter() {
  const Step from = start_.roster.start_step;
  phase_ = Phase::kBuffers;
  if (auto begun = files_.begin(start_.roster, self_); !begun) return giveUp(begun.error());
  sums_.setBlock(start_.block);
  stage_ = Stage::kBegin;
  if (lacksState() || held_ == from) return true;
  if (from == 0) {
    if (registered_.step != 0)
      return giveUp({ErrorCode::kInvalid, "the job begins anew, and this program has gone on"});
    held_ = 0;
    return true;
  }
  auto restored = files_.restore(from);
  if (!restored) return giveUp(restored.error());
  stage_ = Stage::kLoad;
  load(*std::move(restored));
  return false;
}

bool ProgramRun::begin() {
  const Step from = start_.roster.start_step;
  is_loaded_ = false;
  if (lacksState()) {
    exchange_.askState(room(from));
  } else if (!start_.roster.sources.empty()) {
    exchange_.offerState(view());
  }
  if (course_) {
    action_ = course_->beginAnew(courseOptions(), exchange_.stopOrder(), clock_.now());
    if (!course_->hasDraft()) files_.dropDraft();
  } else {
    course_.emplace(courseOptions());
    action_ = course_->begin(exchange_.stopOrder(), clock_.now());
  }
  stage_ = Stage::kCourse;
  return true;
}

bool ProgramRun::followCourse(TimePoint until) {
  if (action_.task == Task::kExit) {
    stage_ = Stage::kOver;
    return false;
  }
  if (action_.task == Task::kBeginAnew) {
    stage_ = Stage::kEnter;
    return true;
  }
  const Maybe outcome = carryOut(action_, until);
  if (!outcome) return false;
  action_ = course_->next(*outcome, exchange_.stopOrder(), clock_.now());
  return true;
}

/// Without a course to end it.
bool ProgramRun::giveUp(const Error& error) {
  const bool is_denied = error.code == ErrorCode::kDenied;
  cause_ = endOf(error, is_denied ? ExitCode::kFailed : ExitCode::kBadConfiguration);
  exchange_.fail(cause_->code, cause_->reason);
  stage_ = Stage::kGiveUp;
  return true;
}

bool ProgramRun::awaitGivenUp(TimePoint until) {
  if (isNotYet(exchange_.awaitEndOrHalt(until))) return false;
  stage_ = Stage::kOver;
  return false;
}

Next ProgramRun::over() {
  if (cause_) end_ = cause_;
  if (!end_) end_ = ProcessEnd{ExitCode::kFailed, "the job has ended"};
  asked_ = Ask::kNothing;
  if (!std::exchange(is_ended_, true)) {
    if (end_->code != ExitCode::kDone)
      files_.writeEnd(
          {setup_.settings.job.name, end_->code, lastStep(), end_->reason, wall_clock_.now()});
    exchange_.close();
  }
  return end_->code == ExitCode::kStopped ? Next::kStopped : Next::kEnded;
}

void ProgramRun::ask(Ask task, Step step) {
  asked_ = task;
  stated_.reset();
  turn_ = {.task = task,
           .step = step,
           .is_writer = isWriter(),
           .block = start_.block,
           .position = start_.roster.positionOf(self_),
           .workers = start_.roster.workers()};
  mark_ = clock_.now();
}

void ProgramRun::load(checkpoint::ProgramState state) {
  const Step step = state.step;
  state_ = std::move(state);
  ask(Ask::kLoad, step);
  turn_.state = &state_;
}

worker::TrainingCourse::Options ProgramRun::courseOptions() const {
  const Roster& roster = start_.roster;
  const auto& checkpoint = setup_.settings.job.checkpoint;
  return {.from = roster.start_step,
          .total_steps = setup_.total_steps,
          .steps_per_epoch = setup_.steps_per_epoch,
          .evaluation_every_epochs = 0,  // the program does that within its steps
          .checkpoint_every = checkpoint.every_steps,
          .checkpoint_interval = std::chrono::seconds(checkpoint.every_seconds),
          .is_validated = false,
          .is_writer = isWriter(),
          .keeps_checkpoints = files_.keepsCheckpoints(),
          .overlaps = false,
          .owes_evaluation = false,
          .lacks_state = lacksState(),
          .reports_first = !roster.order.isFirst() || !roster.sources.empty()};
}

ProgramRun::Maybe ProgramRun::carryOut(const Action& action, TimePoint until) {
  switch (action.task) {
    case Task::kStep: return makeStep(action.step, until);
    case Task::kReceiveState: return receiveState(action.step, until);
    case Task::kSayHalted: exchange_.halted(held_); break;
    case Task::kAwaitRoster: return awaitRoster(until);
    case Task::kReportWeights:
      exchange_.reportWeights(action.step, weightsCrc(), times(),
                              action.step == setup_.total_steps);
      break;
    case Task::kReportProgress:
      reporter_.onStep(last_, times());
      return reporter_.superseded() ? failed(*reporter_.superseded()) : Outcome::kDone;
    case Task::kEvaluate: return evaluate(action.step);
    case Task::kDraftCheckpoint: return files_.draft(registered_);
    case Task::kAwaitAgreement: return awaitAgreement(action.step, until);
    case Task::kCompleteCheckpoint: return files_.complete(action.step);
    case Task::kWriteModel: files_.writeModel(registered_); break;
    case Task::kWriteResult: return writeResult();
    case Task::kSayStopped:
      log_.info("stopped on request", {{"step", action.step}});
      exchange_.stopped();
      break;
    case Task::kSayFinished: exchange_.finished(result_message_); break;
    case Task::kSayFailed: sayFailed(); break;
    case Task::kAwaitEnd: return awaitEnd(until);
    case Task::kRemoveResult: files_.removeResult(); break;
    case Task::kFinishStep:  // no step is left open
    case Task::kBeginAnew:
    case Task::kExit: break;
  }
  return Outcome::kDone;
}

void ProgramRun::requireStateOf(Step step) const {
  require(asked_ == Ask::kUpdate || asked_ == Ask::kLoad,
          "sumac_state_is: the turn is neither SUMAC_UPDATE nor SUMAC_LOAD");
  require(step == turn_.step, "sumac_state_is: the step is not the turn's");
}

void ProgramRun::onState(Step step) {
  if (asked_ == Ask::kUpdate && !stated_) updated_ += secondsBetween(mark_, clock_.now());
  stated_ = step;
  held_ = step;
}

void ProgramRun::onMetrics(Evaluated evaluation) {
  const bool is_done = asked_ == Ask::kUpdate && stated_ == turn_.step;
  require(is_done || asked_ == Ask::kLast,
          "sumac_metrics: neither SUMAC_UPDATE with its state nor SUMAC_LAST");
  if (!isWriter()) return;
  evaluation.step = turn_.step;
  evaluation.epoch = turn_.step / setup_.steps_per_epoch;
  evaluated_ = evaluation;
  reporter_.onEvaluation(evaluation);
}

ProgramRun::Maybe ProgramRun::awaitRoster(TimePoint until) {
  worker::RosterEvent came = exchange_.awaitRoster(start_.roster.order, until);
  if (isNotYet(came)) return std::nullopt;
  if (auto* const end = std::get_if<ProcessEnd>(&came)) {
    end_ = endOfComplete(std::move(*end));
    return end_->code == ExitCode::kDone ? Outcome::kComplete : Outcome::kEnded;
  }
  if (std::holds_alternative<worker::StopAfter>(came)) return Outcome::kNoSum;
  start_ = std::get<worker::Start>(std::move(came));
  incoming_.reset();
  log_.info("members changed", {{"workers", start_.roster.workers()},
                                {"servers", start_.roster.servers()},
                                {"generation", start_.roster.order.generation},
                                {"after", start_.roster.start_step}});
  return Outcome::kDone;
}

ProgramRun::Maybe ProgramRun::awaitAgreement(Step step, TimePoint until) {
  const auto came = exchange_.awaitAgreement(step, until);
  if (isNotYet(came)) return std::nullopt;
  if (const auto* const end = std::get_if<ProcessEnd>(&came)) return unlessEnded(*end);
  return std::holds_alternative<worker::Agreed>(came) ? Outcome::kDone : Outcome::kNoSum;
}

ProgramRun::Maybe ProgramRun::awaitEnd(TimePoint until) {
  auto came = exchange_.awaitEndOrHalt(until);
  if (isNotYet(came)) return std::nullopt;
  auto* const end = std::get_if<ProcessEnd>(&came);
  if (end == nullptr) return Outcome::kNoSum;
  end_ = endOfComplete(std::move(*end));
  return end_->code == ExitCode::kDone ? Outcome::kDone : Outcome::kEnded;
}

/// All steps are done: the program's last chance to say how good the model is.
ProgramRun::Maybe ProgramRun::evaluate(Step step) {
  if (turn_.task == Ask::kLast && turn_.step == step) return Outcome::kDone;
  ask(Ask::kLast, step);
  return std::nullopt;
}

Outcome ProgramRun::writeResult() {
  const JobResult result = this->result();
  if (auto written = files_.writeResult(result); !written) return failed(written.error());
  result_message_ = toMessage(result);
  return Outcome::kDone;
}

void ProgramRun::sayFailed() {
  if (!cause_ && files_.failure()) cause_ = endOf(*files_.failure(), ExitCode::kFailed);
  if (!cause_ && files_.unkept()) cause_ = endOf(*files_.unkept(), ExitCode::kFailed);
  if (!cause_) cause_ = ProcessEnd{ExitCode::kFailed, "this worker cannot go on"};
  exchange_.fail(cause_->code, cause_->reason);
}

void ProgramRun::fail(const ProcessEnd& cause, TimePoint until) {
  if (stage_ == Stage::kOver) return;
  cause_ = cause;
  exchange_.fail(cause.code, cause.reason);
  [[maybe_unused]] const auto ignored = exchange_.awaitEndOrHalt(until);
  stage_ = Stage::kOver;
  over();
}

Outcome ProgramRun::unlessEnded(std::optional<ProcessEnd> end) {
  end_ = std::move(end);
  return end_ ? Outcome::kEnded : Outcome::kDone;
}

Outcome ProgramRun::failed(const Error& error) {
  cause_ = endOf(error, ExitCode::kFailed);
  return Outcome::kFailed;
}

// All workers agreed on the weights and every file is written: whoever is lost or stops now takes
// nothing.
ProcessEnd ProgramRun::endOfComplete(ProcessEnd end) const {
  const bool is_complete = worker::isCompleteAt(end.code, !result_message_.empty());
  if (end.code == ExitCode::kDone || !is_complete) return end;
  log_.warn("the job is complete, although not all members have ended", {{"reason", end.reason}});
  return {ExitCode::kDone, result_message_};
}

WorkerTimes ProgramRun::times() const {
  return {.worker = setup_.settings.index,
          .seconds = reporter_.secondsSinceStart(),
          .gradients = computed_,
          .sum_wait = waited_,
          .data_wait = 0,
          .updates = updated_};
}

}  // namespace sumac::program
