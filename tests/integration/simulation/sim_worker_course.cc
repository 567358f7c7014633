#include <stdexcept>
#include <utility>
#include <variant>

#include "base/core/crc32c.h"
#include "tests/integration/simulation/sim_job.h"
#include "tests/integration/simulation/sim_worker.h"

// What a worker's trainer does between two steps, on its thread.

namespace sumac {

using worker::Outcome;
using worker::Task;

void SimWorker::later(std::int64_t most_us, std::function<void()> what) {
  network_.after(self_, network_.between(0, most_us), std::move(what));
}

std::size_t SimWorker::draw(std::int64_t below) {
  return static_cast<std::size_t>(network_.between(0, below - 1) / std::chrono::microseconds(1));
}

void SimWorker::wait(std::function<bool()> isThere, std::function<void()> then) {
  awaited_ = std::move(isThere);
  awaiting_ = std::move(then);
  look();
}

void SimWorker::look() {
  if (!awaited_ || !awaited_()) return;
  awaited_ = nullptr;
  later(/*most_us=*/100, std::exchange(awaiting_, nullptr));
}

void SimWorker::went(Outcome outcome) {
  ++work_;
  action_ = course_->next(outcome, inbox_.stopOrder(), network_.now());
  later(/*most_us=*/20, [this] { carryOut(); });
}

/// Passes something to the reactor, which takes it a moment later.
void SimWorker::say(std::function<void()> what) {
  later(/*most_us=*/50, [this, what = std::move(what)] {
    what();
    member_->settle();
    went(Outcome::kDone);
  });
}

/// As a member of the newest roster.
void SimWorker::beginRoster() {
  if (open_ > 0) throw std::logic_error("a step is open that its roster does not end");
  const worker::Start start = *inbox_.start();
  const Roster& roster = start.roster;
  watch_.onRoster(self_, roster, roster_);
  if (kernels_.empty()) kernels_ = roster.kernels;
  block_ = start.block;
  choice_ = roster.choice;
  roster_ = roster.order;
  members_ = roster.members;
  done_ = roster.start_step;
  former_.push_back(std::exchange(sums_, {}));
  leases_ = {};
  const bool lacks = roster.sources.contains(slot_);
  if (!lacks) obtainState(done_);
  is_writer_ = roster.writer == slot_;
  if (is_writer_ && !holdsFolder()) return;
  if (is_writer_) lookForNewer();
  const bool owes = worker::owesEvaluation(done_, options_.steps_per_epoch, roster.evaluated,
                                           [this] { return watch_.newestEvaluation(); });
  const worker::TrainingCourse::Options course{
      .from = done_,
      .total_steps = options_.steps,
      .steps_per_epoch = options_.steps_per_epoch,
      .evaluation_every_epochs = 1,
      .checkpoint_every = options_.checkpoint_every,
      .checkpoint_interval = options_.checkpoint_interval,
      .is_writer = is_writer_,
      .keeps_checkpoints = true,
      .overlaps = options_.overlaps(),
      .owes_evaluation = owes,
      .lacks_state = lacks,
      .reports_first = !roster_.isFirst() || !roster.sources.empty()};
  if (course_) {
    action_ = course_->beginAnew(course, inbox_.stopOrder(), network_.now());
  } else {
    course_.emplace(course);
    action_ = course_->begin(inbox_.stopOrder(), network_.now());
  }
  if (lacks || roster.sources.empty()) return carryOut();
  later(options_.offers_within_us, [this] {
    member_->training().offer(
        {done_,
         {std::as_bytes(std::span(state_.weights)), std::as_bytes(std::span(state_.velocity))}});
    carryOut();
  });
}

/// As it is in memory, in the newest checkpoint, or as the job begins.
void SimWorker::obtainState(Step step) {
  if (held_ == step) return;
  if (step > 0) {
    const auto kept = files_.states.find(step);
    if (kept == files_.states.end()) throw std::logic_error("nobody has the state of the start");
    state_ = kept->second;
  }
  keepState(step);
}

void SimWorker::keepState(Step step) {
  held_ = step;
  watch_.onState(self_, step, state_, kernels_);
}

void SimWorker::receiveState() {
  watch_.onReceiving(self_);
  const auto room = std::make_shared<SimState>();
  room->assign(state_.weights.size(), kSimOverwritten);
  later(/*most_us=*/50, [this, room] {
    member_->training().receive({done_,
                                 {std::as_writable_bytes(std::span(room->weights)),
                                  std::as_writable_bytes(std::span(room->velocity))},
                                 room});
    wait([this] { return inbox_.state().has_value(); },
         [this, room] {
           const worker::StateEvent came = *inbox_.state();
           if (std::holds_alternative<ProcessEnd>(came)) return went(Outcome::kEnded);
           if (std::holds_alternative<worker::StopAfter>(came)) return went(Outcome::kNoSum);
           if (std::get<StateArrival>(came) == StateArrival::kWrong)
             throw std::logic_error("a state came wrong");
           state_.swap(*room);
           keepState(done_);
           went(Outcome::kDone);
         });
  });
}

void SimWorker::carryOut() {
  const Step step = action_.step;
  switch (action_.task) {
    case Task::kStep: return beginStep();
    case Task::kFinishStep: return finishStep([this] { went(Outcome::kDone); });
    case Task::kReportWeights:
      return say([this, step] {
        member_->training().reportWeights(
            step, crc32c(std::as_bytes(std::span<const float>(state_.weights))), {},
            step == options_.steps);
      });
    case Task::kReportProgress:
      return say([this, step] {
        member_->training().reportProgress("{\"step\":" + std::to_string(step) + "}");
      });
    case Task::kEvaluate:
      if (options_.evaluation) return evaluateFor(*options_.evaluation);
      return evaluate(/*batches=*/draw(10));
    case Task::kDraftCheckpoint:
      return later(/*most_us=*/5000, [this] {
        draft_ = state_;
        went(Outcome::kDone);
      });
    case Task::kAwaitAgreement: return awaitAgreement();
    case Task::kCompleteCheckpoint: return completeCheckpoint();
    case Task::kWriteModel: return later(/*most_us=*/2000, [this] { went(Outcome::kDone); });
    case Task::kWriteResult:
      return later(/*most_us=*/5000, [this] {
        if (!holdsFolder()) return;
        message_ = result();
        files_.result = message_;
        went(Outcome::kDone);
      });
    case Task::kReceiveState: return receiveState();
    case Task::kSayHalted: return say([this] { member_->training().halted(held_); });
    case Task::kAwaitRoster: return awaitRoster();
    case Task::kBeginAnew: return beginRoster();
    case Task::kSayStopped: return say([this] { member_->training().stopped(); });
    case Task::kSayFinished: return say([this] { member_->training().finished(message_); });
    case Task::kSayFailed:
      return say([this] { member_->training().fail(ExitCode::kFailed, *cause_); });
    case Task::kAwaitEnd: return awaitEnd();
    case Task::kRemoveResult: files_.result.reset(); return went(Outcome::kDone);
    case Task::kExit: return exit();
  }
}

/// A process that another writer has replaced ends; who writes once in the writer's place leaves
/// the writer's name there.
bool SimWorker::holdsFolder() {
  if (!options_.most) return true;
  auto& writer = files_.writer;
  const bool is_stale =
      writer && (writer->order > roster_ ||
                 (is_writer_ && writer->order == roster_ && writer->member != self_));
  if (is_stale) {
    exited_ = has_ended_ = true;
    on_end_(self_, {ExitCode::kLostPeers, "another process writes"});
    return false;
  }
  if (is_writer_) writer = SimFiles::Writer{roster_, self_};
  return true;
}

/// As TrainingRun::newestStart().
void SimWorker::lookForNewer() {
  const bool is_newer = options_.most && files_.checkpoint > done_ && files_.kernels == kernels_;
  if (!is_newer) return;
  member_->training().foundCheckpoint(*files_.checkpoint);
  member_->settle();
}

void SimWorker::completeCheckpoint() {
  const Step step = action_.step;
  if (!holdsFolder()) return;
  watch_.onCheckpoint(members_, step, inbox_.isEnding());
  watch_.onWritten(self_, step, draft_, kernels_);
  files_.checkpoint = step;
  files_.kernels = kernels_;
  files_.states[step] = draft_;
  say([this, step] { member_->training().checkpointed(step); });
}

void SimWorker::reportEvaluation() {
  const Step step = action_.step;
  watch_.onEvaluated(step);
  if (!options_.most) return went(Outcome::kDone);
  say([this, step] {
    member_->training().reportProgress(
        "{\"event\":\"evaluation\",\"step\":" + std::to_string(step) + "}");
  });
}

/// Asks before each batch whether it is still wanted.
void SimWorker::evaluate(std::size_t batches) {
  if (inbox_.isEnding()) return went(inbox_.end() ? Outcome::kEnded : Outcome::kBrokenOff);
  ++work_;
  if (batches == 0) return reportEvaluation();
  later(/*most_us=*/6000, [this, batches] { evaluate(batches - 1); });
}

/// Batch by batch, to the end whatever happens.
void SimWorker::evaluateFor(Duration time) {
  const Duration batch = std::min<Duration>(time, std::chrono::milliseconds(100));
  ++work_;
  if (time <= Duration::zero()) return reportEvaluation();
  network_.after(self_, batch, [this, rest = time - batch] { evaluateFor(rest); });
}

void SimWorker::awaitRoster() {
  wait([this] { return inbox_.rosterAfter(roster_).has_value(); },
       [this] {
         const worker::RosterEvent came = *inbox_.rosterAfter(roster_);
         if (std::holds_alternative<ProcessEnd>(came))
           return went(endCode() == ExitCode::kDone ? Outcome::kComplete : Outcome::kEnded);
         if (std::holds_alternative<worker::StopAfter>(came)) return went(Outcome::kNoSum);
         went(Outcome::kDone);
       });
}

void SimWorker::awaitAgreement() {
  const Step step = action_.step;
  wait([this, step] { return inbox_.end() || inbox_.isAgreed(step) || inbox_.mustHaltAfter(step); },
       [this, step] {
         if (inbox_.isAgreed(step)) return went(Outcome::kDone);
         went(inbox_.end() ? Outcome::kEnded : Outcome::kNoSum);
       });
}

void SimWorker::awaitEnd() {
  wait([this] { return inbox_.end() || inbox_.isHalting(); },
       [this] {
         if (!inbox_.end()) return went(Outcome::kNoSum);
         went(endCode() == ExitCode::kDone ? Outcome::kDone : Outcome::kEnded);
       });
}

}  // namespace sumac
