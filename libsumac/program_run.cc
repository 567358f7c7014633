#include "libsumac/program_run.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <new>
#include <utility>
#include <variant>
#include <vector>

#include "base/core/crc32c.h"

#include "libsumac/misuse.h"

namespace sumac::program {

using worker::Action;
using worker::Outcome;
using worker::Task;

/// A state on its way into this process, or just come.
struct ProgramRun::Incoming {
  AlignedBuffer bytes;
};

namespace {

constexpr std::size_t kValueBytes = StateTransfer::kValueBytes;
constexpr std::uint64_t kMostValues = checkpoint::kMostStateBytes / kValueBytes;

bool isNotYet(const auto& event) {
  return std::holds_alternative<worker::NotYet>(event);
}

/// The first value that is no number; their count if there is none. As bits: a pass over them all
/// costs little.
std::size_t firstNotFinite(std::span<const float> values) {
  constexpr std::uint32_t kExponent = 0x7F800000U;
  const auto isBad = [](float value) {
    return (std::bit_cast<std::uint32_t>(value) & kExponent) == kExponent;
  };
  constexpr std::size_t kBlock = 4096;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const auto block = values.subspan(first, std::min(kBlock, values.size() - first));
    unsigned bad = 0;
    for (const float value : block)
      bad |= static_cast<unsigned>(isBad(value));
    if (bad != 0)
      return first + static_cast<std::size_t>(std::ranges::find_if(block, isBad) - block.begin());
  }
  return values.size();
}

std::string textOf(float value) {
  if (std::isnan(value)) return "nan";
  return value > 0 ? "inf" : "-inf";
}

}  // namespace

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
      files_(setup, exchange, reporter_, log_) {}

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

ProgramRun::Maybe ProgramRun::makeStep(Step step, TimePoint until) {
  if (phase_ == Phase::kBuffers) {
    if (const auto over = exchange_.awaitBuffers(step, until))
      return isNotYet(*over) ? Maybe() : withoutSum(*over);
    timer_.begin(clock_.now());
    begun_ = clock_.now();
    sums_.begin(step);
    phase_ = Phase::kCompute;
    ask(Ask::kCompute, step);
    turn_.is_again = step <= most_asked_;
    most_asked_ = std::max(most_asked_, step);
    return std::nullopt;
  }
  if (phase_ == Phase::kCompute && !sums_.isWhole()) {
    phase_ = Phase::kBuffers;
    const auto end = exchange_.end();
    return end ? unlessEnded(end) : Outcome::kNoSum;
  }
  if (phase_ == Phase::kUpdate) {
    phase_ = Phase::kBuffers;
    count(step);
    return Outcome::kDone;
  }
  phase_ = Phase::kSum;
  const worker::StepEvent event = exchange_.awaitSum(step, until);
  if (isNotYet(event)) return std::nullopt;
  waited_ += secondsBetween(mark_, clock_.now());
  phase_ = Phase::kBuffers;
  const auto* const sum = std::get_if<worker::Sum>(&event);
  return sum == nullptr ? withoutSum(event) : takeSum(step, sum->values);
}

ProgramRun::Maybe ProgramRun::takeSum(Step step, std::span<const float> values) {
  const std::span<const float> all = values.first(static_cast<std::size_t>(setup_.plan.values));
  if (const std::size_t bad = firstNotFinite(all); bad < all.size()) {
    const bool is_loss = bad + 1 == all.size();
    return failed(
        {ErrorCode::kInvalid,
         "the sum of step " + std::to_string(step) + " is not finite: " +
             (is_loss ? "the loss" : "value " + std::to_string(bad)) + " is " + textOf(all[bad]) +
             "; it will be so again when the job is resumed: train it in another folder with a "
             "lower learning rate"});
  }
  incoming_.reset();  // everybody has begun this step, so with its state
  last_.step = step;
  last_.loss = static_cast<double>(all.back());
  phase_ = Phase::kUpdate;
  ask(Ask::kUpdate, step);
  turn_.sum = all.first(all.size() - 1);
  turn_.loss = last_.loss;
  return std::nullopt;
}

void ProgramRun::count(Step step) {
  const TimePoint now = clock_.now();
  timer_.end(now);
  snapshot_.compute_seconds = computed_ + updated_;
  snapshot_.update_seconds = updated_;
  snapshot_.sum_wait_seconds = waited_;
  snapshot_.step_durations.observe(secondsBetween(begun_, now));
  snapshot_.step = step;
  snapshot_.total_steps = setup_.total_steps;
  snapshot_.epoch = setup_.epochOf(step);
  snapshot_.loss = last_.loss;
  ++snapshot_.steps;
  const auto share = [this](int part) { return part * setup_.batchSize() / setup_.parts(); };
  snapshot_.samples += share(start_.block.end) - share(start_.block.begin);
  published_.set(snapshot_);
  constexpr double kPerSecond = 1000;
  exchange_.setComputed({static_cast<std::uint32_t>(snapshot_.steps),
                         static_cast<std::uint32_t>(kPerSecond * part_)});
}

bool ProgramRun::add(Step step, int part, std::span<const float> values, float loss) {
  require(asked_ == Ask::kCompute, "sumac_add: the turn is not SUMAC_COMPUTE");
  require(step == turn_.step, "sumac_add: the step is not the turn's");
  require(!sums_.isWhole(), "sumac_add: all parts of the turn were added: call sumac_next()");
  if (part != sums_.next())
    throw Misuse("sumac_add: part " + std::to_string(part) + " came in place of part " +
                 std::to_string(sums_.next()));
  exchange_.work().add();
  if (isOver(step)) return false;
  sums_.add(values, loss);
  if (!sums_.isWhole()) return true;
  const TimePoint now = clock_.now();
  const double seconds = secondsBetween(mark_, now);
  computed_ += seconds;
  part_ += seconds / start_.block.size();
  mark_ = now;
  exchange_.submit(step, sums_.contributions());
  return true;
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

ProgramRun::Maybe ProgramRun::receiveState(Step step, TimePoint until) {
  if (std::exchange(is_loaded_, false)) {
    log_.info("state received", {{"step", step}});
    return Outcome::kDone;
  }
  const worker::StateEvent came = exchange_.awaitState(until);
  if (isNotYet(came)) return std::nullopt;
  if (const auto* const end = std::get_if<ProcessEnd>(&came)) return unlessEnded(*end);
  if (std::holds_alternative<worker::StopAfter>(came)) return Outcome::kNoSum;
  return takeState(step, std::get<StateArrival>(came));
}

ProgramRun::Maybe ProgramRun::takeState(Step step, StateArrival arrival) {
  const std::string what = "the state of step " + std::to_string(step) + " that " +
                           toString(start_.roster.sources.at(slot())) + " sent cannot be used: ";
  if (arrival == StateArrival::kWrong)
    return failed({ErrorCode::kInvalid, what + "twice its checksum was wrong, or this process has "
                                               "no memory for it"});
  auto state =
      checkpoint::programStateFrom(std::as_bytes(incoming_->bytes.values()), kValueBytes - 1);
  if (!state) return failed({ErrorCode::kInvalid, what + state.error().message});
  if (state->step != step)
    return failed({ErrorCode::kInvalid, what + "it is of step " + std::to_string(state->step)});
  load(*std::move(state));
  return std::nullopt;
}

/// Only who sends the state knows how large it is.
StateRoom ProgramRun::room(Step step) {
  incoming_ = std::make_shared<Incoming>();
  StateRoom room;
  room.step = step;
  room.owner = incoming_;
  room.make = [incoming = incoming_](std::uint64_t values) -> std::optional<StateRoom::Pieces> {
    if (values > kMostValues) return std::nullopt;
    try {
      incoming->bytes = AlignedBuffer(values);
    } catch (const std::bad_alloc&) {
      return std::nullopt;
    }
    return StateRoom::Pieces{std::as_writable_bytes(incoming->bytes.values())};
  };
  return room;
}

/// What the program keeps, as it lies in its memory; the end is filled up to a whole value.
StateView ProgramRun::view() {
  static constexpr std::array<std::byte, kValueBytes> kPadding{};
  head_ = checkpoint::headOf(registered_);
  StateView view{registered_.step, {head_}};
  std::size_t bytes = head_.size();
  for (const auto& tensor : registered_.tensors) {
    view.pieces.push_back(tensor.view.data);
    bytes += tensor.view.data.size();
  }
  const std::size_t over = bytes % kValueBytes;
  if (over != 0) view.pieces.push_back(BytesView(kPadding).first(kValueBytes - over));
  return view;
}

std::uint32_t ProgramRun::weightsCrc() const {
  std::uint32_t crc = 0;
  for (const auto& tensor : registered_.tensors)
    if (tensor.is_model) crc = crc32c(tensor.view.data, crc);
  return crc;
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

Outcome ProgramRun::withoutSum(const worker::StepEvent& event) {
  const auto* const end = std::get_if<ProcessEnd>(&event);
  return end == nullptr ? Outcome::kNoSum : unlessEnded(*end);
}

Outcome ProgramRun::unlessEnded(std::optional<ProcessEnd> end) {
  end_ = std::move(end);
  return end_ ? Outcome::kEnded : Outcome::kDone;
}

Outcome ProgramRun::failed(const Error& error) {
  cause_ = endOf(error, ExitCode::kFailed);
  return Outcome::kFailed;
}

// All workers agreed on the weights and every file is written: whoever is lost now took nothing.
ProcessEnd ProgramRun::endOfComplete(ProcessEnd end) const {
  if (end.code != ExitCode::kLostPeers || result_message_.empty()) return end;
  log_.warn("the job is complete, although another member was lost", {{"reason", end.reason}});
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
