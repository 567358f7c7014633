#include "tests/integration/simulation/sim_worker.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "base/core/crc32c.h"
#include "tests/integration/simulation/sim_job.h"
#include "tests/support/plain_kernels.h"

namespace sumac {

using worker::Outcome;
using worker::Task;

SimWorker::SimWorker(const Member& self, const SimGround& ground, OnEnd onEnd)
    : options_(ground.options),
      network_(ground.network),
      files_(ground.files),
      watch_(ground.watch),
      on_end_(std::move(onEnd)),
      plan_(simPlan(options_, options_.vocabulary)),
      slot_(self.slot),
      self_(self),
      state_(simFirstState(plan_.parameters)) {
  link::Link& link =
      network_.add(self_, kSimJob, simEndpoint(options_, self_), *this, [this] { tick(); });
  Roles roles;
  roles.training = {.plan = &plan_, .trainer = this, .kernels = &kPlainKernels};
  if (options_.servers == 0) addSums(roles, slot_, ground, *this);
  member_ = std::make_unique<JobMember>(identityOf(self_), roles, link);
}

MemberIdentity SimWorker::identityOf(const Member& self) const {
  MemberIdentity identity;
  identity.self = self;
  identity.job = kSimJob;
  identity.coordinator = simCoordinator(options_);
  identity.coordinator_endpoint = simEndpoint(identity.coordinator);
  if (options_.most) identity.orphan_patience = std::chrono::seconds(60);
  JoinRequest& request = identity.request;
  request.steps = options_.steps;
  if (options_.servers == 0 || options_.most) request.endpoint = simEndpoint(options_, self);
  const auto text = options_.plan_text.find(slot_);
  request.plan_text = text == options_.plan_text.end() ? "batchSize=128\n" : text->second;
  request.kernels = {"baseline", "avx2"};
  if (options_.plain.contains(slot_.index)) request.kernels.pop_back();
  if (files_.checkpoint && !watch_.kernels().empty()) request.kernels = {watch_.kernels()};
  if (options_.most) request.volume = files_.writer ? files_.writer->order : RosterOrder{};
  const auto other = options_.other_vocabulary.find(slot_.index);
  request.vocabulary =
      other == options_.other_vocabulary.end() ? options_.vocabulary : other->second;
  request.newest_checkpoint = files_.checkpoint.value_or(0);
  request.description = "CPU " + std::to_string(slot_.index);
  const auto rate = options_.add_rates.find(slot_.index);
  if (rate != options_.add_rates.end()) request.add_rate = rate->second;
  request.algorithm = options_.algorithm;
  return identity;
}

void SimWorker::tick() {
  member_->tellWork({work_, !awaited_});
  member_->onTick(network_.now());
  look();
}

void SimWorker::leave() {
  if (!has_started_) return on_end_(self_, {ExitCode::kStopped, "asked to stop before it started"});
  member_->leave();
}

void SimWorker::start() {
  has_started_ = true;
  member_->start(network_.now());
  network_.listen(self_);
  wait([this] { return inbox_.start() || inbox_.end(); },
       [this] { return inbox_.end() ? exit() : beginRoster(); });
}

/// As a member of the newest roster.
void SimWorker::beginRoster() {
  if (open_ > 0) throw std::logic_error("a step is open that its roster does not end");
  const worker::Start start = *inbox_.start();
  const Roster& roster = start.roster;
  watch_.onRoster(self_, roster, roster_);
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
  later(/*most_us=*/50, [this] {
    member_->training().offer({done_, {state_.weights, state_.velocity}});
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
  watch_.onState(self_, step, state_);
}

void SimWorker::receiveState() {
  const auto room = std::make_shared<SimState>();
  room->assign(state_.weights.size(), kSimOverwritten);
  later(/*most_us=*/50, [this, room] {
    member_->training().receive({done_, {room->weights, room->velocity}, room});
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

// The member's events, on the reactor's thread

void SimWorker::onStart(const Roster& roster, TreeNode block) {
  inbox_.onStart(roster, block);
  look();
}

void SimWorker::onPartialSum(Step step, const RangeRun& run, std::span<const float> sum) {
  if (step != done_ + 1) throw std::logic_error("a part of a sum came out of order");
  inbox_.onPartialSum(step, run, sum);
  look();
}

void SimWorker::onSum(Step step, std::span<const float> sum) {
  if (step != done_ + 1) throw std::logic_error("a sum came out of order");
  inbox_.onSum(step, sum);
  look();
}

void SimWorker::onStop(const StopOrder& order) {
  if (*order.after > 0 && begun_ > *order.after)
    throw std::logic_error("a step beyond the agreed one was begun");
  if (order.halts && *order.after == 0) watch_.onHaltNow(self_);
  inbox_.onStop(order);
  look();
}

void SimWorker::onState(StateArrival arrival) {
  inbox_.onState(arrival);
  look();
}

void SimWorker::onWeightsAgreed(Step step) {
  inbox_.onWeightsAgreed(step);
  look();
}

void SimWorker::onEnd(ExitCode code, const std::string& reason) {
  inbox_.onEnd(code, reason);
  if (hangs()) exit();  // a trainer that hangs does not outlive its stop signal's deadline
  look();
}

// The trainer's thread

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
    case Task::kDraftCheckpoint: return later(/*most_us=*/5000, [this] { went(Outcome::kDone); });
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

void SimWorker::completeCheckpoint() {
  const Step step = action_.step;
  if (!holdsFolder()) return;
  watch_.onCheckpoint(members_, step, inbox_.isEnding());
  files_.checkpoint = step;
  files_.states[step] = state_;
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

/// Where the contributions of step - 2 are, the trainer may write when nobody reads them any more.
void SimWorker::beginStep() {
  if (hangs()) return;
  const auto& lease = leases_[static_cast<std::size_t>(action_.step % 2)];
  const auto isFree = [&lease] { return lease.expired(); };
  wait([this, isFree] { return isFree() || inbox_.sumOf(action_.step); },
       [this, isFree] {
         if (isFree()) return computeStep();
         if (open_ > 0) return finishStep([this] { went(Outcome::kNotBegun); });
         went(inbox_.end() ? Outcome::kEnded : Outcome::kNoSum);
       });
}

void SimWorker::computeStep() {
  for (std::vector<float>& values : sums_[static_cast<std::size_t>(action_.step % 2)])
    std::ranges::fill(values, kSimOverwritten);
  if (open_ == 0) return beginAnnouncing();
  finishStep([this] {
    const auto stop = inbox_.stopOrder().after;
    if (stop && *stop < action_.step) return went(Outcome::kNotBegun);
    beginAnnouncing();
  });
}

/// The sums of the open step as they come, as the layers of a forward pass wait for them; then the
/// step is done.
void SimWorker::finishStep(const std::function<void()>& then) {
  if (updated_ == plan_.ranges.size()) return awaitSum(open_, then);
  const auto came = [this] {
    return inbox_.partialSumOf(open_, updated_, static_cast<std::uint32_t>(plan_.ranges.size()));
  };
  wait([this, came] { return came().ranges > 0 || inbox_.isOver(open_); },
       [this, came, then] {
         const worker::PartialSum sum = came();
         if (sum.ranges == 0) return awaitSum(open_, then);
         const auto first = static_cast<std::size_t>(plan_.ranges[updated_].first);
         updated_ += sum.ranges;
         const Range& last = plan_.ranges[updated_ - 1];
         simUpdate(state_, sum.values, first, static_cast<std::size_t>(last.first + last.count),
                   next_);
         later(/*most_us=*/300, [this, then] { finishStep(then); });
       });
}

void SimWorker::awaitSum(Step step, const std::function<void()>& then) {
  wait([this, step] { return inbox_.sumOf(step).has_value(); },
       [this, step, then] {
         const auto came = *inbox_.sumOf(step);
         // The last of them came when the step was not to be finished any more.
         const bool is_late =
             std::holds_alternative<worker::Sum>(came) && updated_ < plan_.ranges.size();
         if (is_late) return finishStep(then);
         open_ = 0;
         if (std::holds_alternative<ProcessEnd>(came)) return went(Outcome::kEnded);
         if (std::holds_alternative<worker::StopAfter>(came)) return went(Outcome::kNoSum);
         if (!apply(step)) return went(Outcome::kFailed);
         then();
       });
}

/// The step begins with its first contribution.
void SimWorker::beginAnnouncing() {
  const Step step = action_.step;
  begun_ = step;
  auto& sums = sums_[static_cast<std::size_t>(step % 2)];
  std::vector<Contribution> contributions;
  const std::vector<TreeNode> nodes = maximalNodes(block_, plan_.parts);
  sums.resize(nodes.size());
  const auto slow = options_.slow.find(slot_.index);
  slow_ = slow == options_.slow.end() ? Duration{} : slow->second;
  computed_.clear();
  final_.clear();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    computed_.push_back(simSum(options_, state_.weights, step, nodes[i].begin, nodes[i].end));
    sums[i].resize(static_cast<std::size_t>(plan_.values), kSimOverwritten);
    contributions.push_back({nodes[i], sums[i]});  // views: the values are not there
    for (const Range& range : plan_.ranges)
      final_.push_back({i, range.id});
  }
  if (draw(4) == 0) std::ranges::reverse(final_);
  const auto lease = std::make_shared<int>();
  leases_[static_cast<std::size_t>(step % 2)] = lease;
  later(/*most_us=*/50, [this, step, contributions, lease] {
    member_->training().contributions().begin(step, contributions, lease);
    member_->settle();
    computeSome();
  });
}

/// Some ranges more become final, mostly the last ones first; what is not has no values.
void SimWorker::computeSome() {
  const std::size_t left = options_.overlaps() ? final_.size() * draw(4) / 4 : 0;
  const Duration more = left == 0 ? slow_ : slow_ / 2;
  slow_ -= more;
  network_.after(self_, more + network_.between(250, 10'000), [this, left] {
    std::vector<FinalRange> bucket(final_.begin() + static_cast<std::ptrdiff_t>(left),
                                   final_.end());
    final_.resize(left);
    for (const auto& [contribution, range] : bucket)
      fill(contribution, plan_.ranges[range]);
    later(/*most_us=*/50, [this, bucket = std::move(bucket)] {
      if (final_.empty()) {
        member_->training().contributions().announceRest();
      } else {
        member_->training().contributions().announce(bucket);
      }
      member_->settle();
      if (!final_.empty()) return computeSome();
      sent();
    });
  });
}

/// What this worker contributes to one range.
void SimWorker::fill(std::size_t contribution, const Range& range) {
  std::copy_n(computed_.at(contribution).begin() + range.first, range.count,
              sums_[static_cast<std::size_t>(begun_ % 2)].at(contribution).begin() + range.first);
}

void SimWorker::sent() {
  next_.assign(state_.weights.size(), kSimOverwritten);
  updated_ = 0;
  open_ = begun_;
  if (action_.leaves_open) return went(Outcome::kDone);
  finishStep([this] { went(Outcome::kDone); });
}

bool SimWorker::apply(Step step) {
  if (options_.fails == slot_.index && step == options_.fails_in) {
    cause_ = "the loss is not finite";
    return false;
  }
  state_.swap(next_);
  done_ = step;
  keepState(step);
  if (options_.diverges == slot_.index && done_ == options_.diverges_in) state_.weights[7] += 1;
  return true;
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

void SimWorker::exit() {
  if (std::exchange(exited_, true)) return;
  endIfOver();
}

/// The coordinator's process stays until the others know how the job has ended.
void SimWorker::endIfOver() {
  if (!exited_ || has_ended_ || member_->isNeeded()) return;
  if (cause_) return on_end_(self_, {ExitCode::kFailed, *cause_});
  on_end_(self_, {endCode(), inbox_.end()->reason});
}

/// Who has a result needs nobody any more, as in TrainingRun::endOfComplete(). Requires an end.
ExitCode SimWorker::endCode() const {
  const ExitCode code = inbox_.end()->code;
  return code == ExitCode::kLostPeers && !message_.empty() ? ExitCode::kDone : code;
}

}  // namespace sumac
