#include "tests/integration/simulation/sim_worker.h"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <variant>

#include "common/base/crc32c.h"
#include "tests/integration/simulation/sim_job.h"

namespace sumac {

using worker::Outcome;
using worker::Task;

SimWorker::SimWorker(int index, const SimOptions& options, SimNetwork& network, SimFiles& files,
                     OnEnd onEnd)
    : options_(options),
      network_(network),
      files_(files),
      on_end_(std::move(onEnd)),
      plan_(simPlan(options, options.vocabulary)),
      slot_{Role::kWorker, index},
      weights_(simFirstWeights(plan_.parameters)) {
  worker::WorkerIdentity identity;
  identity.self = {slot_, static_cast<Incarnation>(100 + index)};
  link::Link& below =
      network.add(identity.self, kSimJob, simEndpoint(slot_), *this, [this] { tick(); });
  const Slot coordinator = simCoordinator(options);
  if (options.servers == 0) {
    shared_ = std::make_unique<link::SharedLink>(slot_, coordinator, below);
    identity.endpoint = simEndpoint(slot_);
  }
  identity.job = kSimJob;
  identity.coordinator = coordinator;
  const auto text = options.plan_text.find(slot_);
  identity.plan_text = text == options.plan_text.end() ? "batchSize=128\n" : text->second;
  identity.kernels = {"baseline", "avx2"};
  const auto other = options.other_vocabulary.find(index);
  identity.vocabulary =
      other == options.other_vocabulary.end() ? options.vocabulary : other->second;
  identity.description = "CPU " + std::to_string(index);
  const Member self = identity.self;
  session_ = std::make_unique<worker::Session>(
      std::move(identity), plan_, slot_ == coordinator ? std::string() : simEndpoint(coordinator),
      shared_ ? shared_->forWorker() : below, *this);
  if (!shared_) return;
  is_needed_ = slot_ == coordinator;
  resident_ = std::make_unique<SimServer>(self, options, network, shared_->forSums(),
                                          [this](Slot /*slot*/, const SimEnd& /*end*/) {
                                            is_needed_ = false;
                                            endIfOver();
                                          });
  shared_->deliverTo(*session_, *resident_);
}

void SimWorker::tick() {
  session_->onTick(network_.now());
  if (resident_) resident_->session().onTick(network_.now());
  settle();
  look();
}

void SimWorker::leave() {
  session_->leave();
  settle();
}

void SimWorker::start() {
  if (resident_) resident_->start();
  session_->start(network_.now());
  settle();
  network_.listen(slot_);
  wait([this] { return inbox_.start() || inbox_.end(); },
       [this] {
         if (inbox_.end()) return exit();
         const worker::Start& start = *inbox_.start();
         block_ = start.block;
         done_ = start.roster.start_step;
         course_.emplace(
             worker::TrainingCourse::Options{.from = done_,
                                             .total_steps = options_.steps,
                                             .steps_per_epoch = options_.steps_per_epoch,
                                             .evaluation_every_epochs = 1,
                                             .checkpoint_every = options_.checkpoint_every,
                                             .is_lowest = block_.begin == 0,
                                             .keeps_checkpoints = true});
         action_ = course_->begin(inbox_.stopOrder());
         carryOut();
       });
}

// The session's events, on the reactor's thread

void SimWorker::onStart(const Roster& roster, TreeNode block) {
  inbox_.onStart(roster, block);
  look();
}

void SimWorker::onSum(Step step, std::span<const float> sum) {
  if (step != done_ + 1) throw std::logic_error("a sum came out of order");
  inbox_.onSum(step, sum);
  look();
}

void SimWorker::onStopAfter(Step step) {
  if (begun_ > step) throw std::logic_error("a step beyond the agreed one was begun");
  inbox_.onStopAfter(step);
  look();
}

void SimWorker::onStopNow(bool writes) {
  inbox_.onStopNow(writes);
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
  network_.after(slot_, network_.between(0, most_us), std::move(what));
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
  action_ = course_->next(outcome, inbox_.stopOrder());
  later(/*most_us=*/20, [this] { carryOut(); });
}

/// Passes something to the reactor, which takes it a moment later.
void SimWorker::say(std::function<void()> what) {
  later(/*most_us=*/50, [this, what = std::move(what)] {
    what();
    settle();
    went(Outcome::kDone);
  });
}

void SimWorker::carryOut() {
  const Step step = action_.step;
  switch (action_.task) {
    case Task::kStep: return beginStep();
    case Task::kReportWeights:
      return say([this, step] {
        session_->reportWeights(step, crc32c(std::as_bytes(std::span<const float>(weights_))));
      });
    case Task::kReportProgress:
      return say(
          [this, step] { session_->reportProgress("{\"step\":" + std::to_string(step) + "}"); });
    case Task::kEvaluate: return later(/*most_us=*/30'000, [this] { went(Outcome::kDone); });
    case Task::kDraftCheckpoint: return later(/*most_us=*/5000, [this] { went(Outcome::kDone); });
    case Task::kAwaitAgreement: return awaitAgreement();
    case Task::kCompleteCheckpoint:
      files_.checkpoint = step;
      files_.checkpoint_weights = weights_;
      return say([this, step] { session_->checkpointed(step); });
    case Task::kWriteResult:
      return later(/*most_us=*/5000, [this] {
        message_ = result();
        files_.result = message_;
        went(Outcome::kDone);
      });
    case Task::kSayStopped: return say([this] { session_->stopped(); });
    case Task::kSayFinished: return say([this] { session_->finished(message_); });
    case Task::kSayFailed: return say([this] { session_->fail(ExitCode::kFailed, *cause_); });
    case Task::kAwaitEnd: return awaitEnd();
    case Task::kRemoveResult: files_.result.reset(); return went(Outcome::kDone);
    case Task::kExit: return exit();
  }
}

/// Where the contributions of step - 2 are, the trainer may write when nobody reads them any more.
void SimWorker::beginStep() {
  if (hangs()) return;
  const auto& lease = leases_[static_cast<std::size_t>(action_.step % 2)];
  const auto isFree = [&lease] { return lease.expired(); };
  wait([this, isFree] { return isFree() || inbox_.sumOf(action_.step); },
       [this, isFree] {
         if (isFree()) return computeStep();
         went(inbox_.end() ? Outcome::kEnded : Outcome::kNoSum);
       });
}

void SimWorker::computeStep() {
  begun_ = action_.step;
  auto& sums = sums_[static_cast<std::size_t>(begun_ % 2)];
  for (std::vector<float>& values : sums)
    std::ranges::fill(values, kSimOverwritten);
  const auto slow = options_.slow.find(slot_.index);
  const Duration more = slow == options_.slow.end() ? Duration{} : slow->second;
  network_.after(slot_, more + network_.between(500, 20'000), [this] { submit(); });
}

void SimWorker::submit() {
  auto& sums = sums_[static_cast<std::size_t>(begun_ % 2)];
  std::vector<worker::Contribution> contributions;
  const std::vector<TreeNode> nodes = maximalNodes(block_, plan_.parts);
  sums.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // Into the same memory: the session has views of it.
    const std::vector<float> sum = simSum(weights_, begun_, nodes[i].begin, nodes[i].end);
    sums[i].assign(sum.begin(), sum.end());
    contributions.push_back({nodes[i], sums[i]});
  }
  later(/*most_us=*/50, [this, contributions] {
    const auto lease = std::make_shared<int>();
    leases_[static_cast<std::size_t>(begun_ % 2)] = lease;
    session_->submit(begun_, contributions, lease);
    settle();
    awaitSum();
  });
}

void SimWorker::awaitSum() {
  wait([this] { return inbox_.sumOf(begun_).has_value(); },
       [this] {
         const auto came = *inbox_.sumOf(begun_);
         if (std::holds_alternative<ProcessEnd>(came)) return went(Outcome::kEnded);
         if (std::holds_alternative<worker::StopAfter>(came)) return went(Outcome::kNoSum);
         went(apply(std::get<worker::Sum>(came).values));
       });
}

Outcome SimWorker::apply(std::span<const float> sum) {
  if (options_.fails == slot_.index && begun_ == options_.fails_in) {
    cause_ = "the loss is not finite";
    return Outcome::kFailed;
  }
  simUpdate(weights_, sum);
  done_ = begun_;
  if (options_.diverges == slot_.index && done_ == options_.diverges_in) weights_[7] += 1;
  return Outcome::kDone;
}

void SimWorker::awaitAgreement() {
  wait([this] { return inbox_.end() || inbox_.isAgreed(action_.step); },
       [this] { went(inbox_.isAgreed(action_.step) ? Outcome::kDone : Outcome::kEnded); });
}

void SimWorker::awaitEnd() {
  wait([this] { return inbox_.end().has_value(); },
       [this] { went(inbox_.end()->code == ExitCode::kDone ? Outcome::kDone : Outcome::kEnded); });
}

void SimWorker::exit() {
  if (std::exchange(exited_, true)) return;
  endIfOver();
}

/// The coordinator's process stays until the others know how the job has ended.
void SimWorker::endIfOver() {
  if (!exited_ || is_needed_) return;
  if (cause_) return on_end_(slot_, {ExitCode::kFailed, *cause_});
  on_end_(slot_, {inbox_.end()->code, inbox_.end()->reason});
}

}  // namespace sumac
