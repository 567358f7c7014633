#include "worker/train/training_run.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "base/core/crc32c.h"
#include "base/core/units.h"
#include "base/process/incarnation.h"
#include "engine/memory/memory_need.h"
#include "engine/nn/processors.h"
#include "job/progress/output_folder.h"
#include "job/progress/training_curve.h"

namespace sumac::worker {
namespace {

/// Mean over the samples and, unless the job says sumOverTime, over the time steps of text.
float lossScale(const TrainingSetup& setup) {
  const auto& training = setup.job.training;
  const auto options = setup.batchOptions();
  const bool over_time =
      setup.isText() && training.loss_reduction == job::LossReduction::kSumOverTime;
  const std::int64_t terms = options.batch_size * (over_time ? 1 : options.unroll);
  return 1.0F / static_cast<float>(terms);
}

std::size_t bucketBytes(const TrainingSetup& setup) {
  return setup.spare_cores > 0 ? FinalRanges::kBucketBytesBeside : FinalRanges::kBucketBytes;
}

std::vector<std::int64_t> samplesOfParts(const TrainingBatches& batches, int parts) {
  std::vector<std::int64_t> samples;
  for (int part = 0; part < parts; ++part)
    samples.push_back(batches.firstSample(part + 1) - batches.firstSample(part));
  return samples;
}

Evaluated evaluatedOf(Step step, const Scores& scores, Step steps_per_epoch, bool is_text) {
  Evaluated evaluation;
  evaluation.step = step;
  evaluation.epoch = step / steps_per_epoch;
  if (scores.valid) evaluation.valid_loss = scores.valid->loss;
  if (scores.test) evaluation.test_loss = scores.test->loss;
  if (is_text) {
    if (scores.valid) evaluation.valid_perplexity = scores.valid->perplexity();
    if (scores.test) evaluation.test_perplexity = scores.test->perplexity();
  } else {
    if (scores.valid) evaluation.valid_accuracy = scores.valid->accuracy;
    if (scores.test) evaluation.test_accuracy = scores.test->accuracy;
  }
  return evaluation;
}

}  // namespace

TrainingRun::TrainingRun(const TrainingSetup& setup, ExchangeClient& exchange, Start start,
                         const Kernels& kernels, ComputePool& pool,
                         const Surroundings& surroundings)
    : setup_(setup),
      exchange_(exchange),
      clock_(surroundings.clock),
      wall_clock_(surroundings.wall_clock),
      log_(surroundings.log),
      published_(surroundings.published),
      recorder_(surroundings.recorder),
      surroundings_(surroundings),
      start_(std::move(start)),
      started_(wall_clock_.now()),
      kernels_(kernels),
      pool_(pool),
      prefetcher_(TrainingBatches(setup.dataset, setup.batchOptions()), clock_),
      total_steps_(setup.totalSteps()),
      state_(setup, kernels, batches().stepsPerEpoch()),
      reporter_(exchange, timer_, clock_, log_,
                {.total_steps = total_steps_,
                 .steps_per_epoch = batches().stepsPerEpoch(),
                 .batch_size = setup.job.training.batch_size,
                 .is_text = setup.isText()}),
      writer_(newIncarnation()),
      loss_scale_(lossScale(setup)) {
  if (!setup.changes) return;
  const Writer self{setup.job_uid, setup.attempt, {}, start_.roster.find(slot())->member};
  if (!setup.output_folder.empty())
    output_fence_.emplace(setup.output_folder, writerFileOf(), self);
  if (!keepsCheckpoints()) return;
  checkpoint_fence_.emplace(setup.checkpoint_folder, writerFileOf(setup.checkpoint_owner), self);
}

Result<void> TrainingRun::begin() {
  if (const Step from = start_.roster.start_step; from > total_steps_) {
    return Error{ErrorCode::kConflict,
                 "the newest checkpoint is of step " + std::to_string(from) +
                     ", beyond the job's " + std::to_string(total_steps_) +
                     " steps; raise spec.training.steps or epochs, or choose another folder"};
  }
  return beginRoster();
}

/// As a member of the newest roster: what is computed with, the files where this worker writes
/// them, and the state, unless another worker sends it.
Result<void> TrainingRun::beginRoster() {
  const Step from = start_.roster.start_step;
  if (auto begun = beginWriting(); !begun) return begun;
  if (!lacksState() && held_ != from) {
    if (auto restored = restore(from); !restored) return restored;
    held_ = from;
  }
  stint_.reset();  // before the next one takes its memory
  // Memory for a large network takes as long as its state, which travels meanwhile.
  if (lacksState()) {
    exchange_.askState(state_.room(from));
  } else if (!start_.roster.sources.empty()) {
    exchange_.offerState(state_.view(from));
  }
  auto stint =
      Stint::make({setup_,
                   exchange_,
                   kernels_,
                   pool_,
                   prefetcher_,
                   state_,
                   surroundings_,
                   {setup_.plan, seconds_, clock_, loss_scale_, bucketBytes(setup_), recorder_},
                   *this},
                  start_);
  if (!stint) return stint.error();
  stint_ = *std::move(stint);
  if (isWriter()) {
    const Scores newest = evaluations_ ? evaluations_->newest() : Scores{};
    evaluations_.emplace(setup_, stint_->compute(), newest);
    if (setup_.plan.squares > 0 && !noise_)
      noise_.emplace(samplesOfParts(batches(), setup_.plan.parts));
  }
  return {};
}

Result<void> TrainingRun::beginOutput(Step from) {
  if (has_output_ || setup_.output_folder.empty()) return {};
  const OutputFolder output(setup_.output_folder);
  output.removeResult();
  if (setup_.changes && from > 0) {
    if (const auto cut = output.cutMetrics(from); !cut)
      log_.warn("lines of progress that are not of this course stay",
                {{"error", cut.error().message}});
  }
  const auto may = [this] { return hold(output_fence_); };
  if (auto opened = reporter_.writeTo(output, from == 0, may); !opened) return opened;
  if (setup_.writes_tensorboard) reporter_.writeTo({setup_.output_folder, from, wall_clock_});
  has_output_ = true;
  return {};
}

Result<void> TrainingRun::restore(Step from) {
  if (from == 0) {
    state_.initialize();
    return {};
  }
  log_.info("resuming", {{"step", from}});
  return state_.resume(from, &exchange_.work());
}

TrainingCourse::Options TrainingRun::courseOptions() const {
  const Roster& roster = start_.roster;
  return {.from = roster.start_step,
          .total_steps = total_steps_,
          .steps_per_epoch = batches().stepsPerEpoch(),
          .evaluation_every_epochs = training().evaluation_every_epochs,
          .checkpoint_every = setup_.job.checkpoint.every_steps,
          .checkpoint_interval = std::chrono::seconds(setup_.job.checkpoint.every_seconds),
          .is_validated = setup_.isValidated(),
          .is_writer = isWriter(),
          .keeps_checkpoints = keeps_checkpoints_,
          .overlaps = overlapsForward(training(), setup_.plan),
          .owes_evaluation = isWriter() && owesEvaluation(),
          .lacks_state = lacksState(),
          .reports_first = !roster.order.isFirst() || !roster.sources.empty()};
}

bool TrainingRun::owesEvaluation() const {
  const Step every = training().evaluation_every_epochs * batches().stepsPerEpoch();
  const auto written = [this]() -> std::optional<Step> {
    if (!has_output_) return std::nullopt;
    const auto curve = readCurve(OutputFolder(setup_.output_folder).metrics(), setup_.job.name);
    const auto& scores = setup_.isText() ? curve.perplexity : curve.accuracy;
    return scores.empty() ? Step{0} : scores.rbegin()->first;
  };
  return worker::owesEvaluation(start_.roster.start_step, every, start_.roster.evaluated, written);
}

void TrainingRun::keepEnd(const ProcessEnd& end) {
  if (!has_output_ || end.code == ExitCode::kDone || !hold(output_fence_)) return;
  const JobEnd how{setup_.job.name, end.code, lastStep(), end.reason, wall_clock_.now()};
  const auto kept = OutputFolder(setup_.output_folder).writeEnd(how);
  if (!kept) log_.warn("the end of the job not written", {{"error", kept.error().message}});
}

ProcessEnd TrainingRun::run() {
  course_.emplace(courseOptions());
  done_at_ = clock_.now();
  Action action = course_->begin(exchange_.stopOrder(), done_at_);
  while (action.task != Task::kExit) {
    if (action.task == Task::kBeginAnew) {
      action = beginAnew();
      continue;
    }
    const Outcome outcome = carryOut(action);
    action = course_->next(outcome, exchange_.stopOrder(), clock_.now());
  }
  return cause_ ? *cause_ : *end_;
}

Action TrainingRun::beginAnew() {
  if (auto begun = beginRoster(); !begun)
    return course_->next(failed(begun.error()), exchange_.stopOrder(), clock_.now());
  const Action action = course_->beginAnew(courseOptions(), exchange_.stopOrder(), clock_.now());
  if (!course_->hasDraft()) draft_.reset();
  return action;
}

Outcome TrainingRun::carryOut(const Action& action) {
  switch (action.task) {
    case Task::kStep:
      if (!stint_->steps().isOpen()) beginTiming(clock_.now());
      return stint_->steps().run(action.step, action.leaves_open);
    case Task::kFinishStep: return stint_->steps().finish();
    case Task::kReceiveState: return receiveState(action.step);
    case Task::kSayHalted: exchange_.halted(held_); break;
    case Task::kAwaitRoster: return awaitRoster();
    case Task::kReportWeights:
      exchange_.reportWeights(action.step, crc32c(std::as_bytes(state_.weights())), times(),
                              action.step == total_steps_);
      break;
    case Task::kReportProgress: reporter_.onStep(last_, times()); return unlessSuperseded();
    case Task::kEvaluate: return evaluate(action);
    case Task::kDraftCheckpoint: return draftCheckpoint(action.step);
    case Task::kAwaitAgreement: return awaitAgreement(action.step);
    case Task::kCompleteCheckpoint: return completeCheckpoint(action.step);
    case Task::kWriteModel: model_ = writeModel(); break;
    case Task::kWriteResult: return writeResult();
    case Task::kSayStopped:
      log_.info("stopped on request", {{"step", action.step}});
      exchange_.stopped();
      break;
    case Task::kSayFinished: exchange_.finished(result_message_); break;
    case Task::kSayFailed:
      if (!cause_) cause_ = endOf(*unkept_, ExitCode::kFailed);
      exchange_.fail(cause_->code, cause_->reason);
      break;
    case Task::kAwaitEnd: return awaitEnd();
    case Task::kRemoveResult:
      if (!setup_.output_folder.empty() && hold(output_fence_))
        OutputFolder(setup_.output_folder).removeResult();
      break;
    case Task::kBeginAnew:
    case Task::kExit: break;
  }
  return Outcome::kDone;
}

Outcome TrainingRun::receiveState(Step step) {
  const StateEvent came = exchange_.awaitState();
  if (const auto* end = std::get_if<ProcessEnd>(&came)) return unlessEnded(*end);
  if (std::holds_alternative<StopAfter>(came)) return Outcome::kNoSum;
  const std::string source = toString(start_.roster.sources.at(slot()));
  const std::string what =
      "the state of step " + std::to_string(step) + " that " + source + " sent cannot be used: ";
  if (std::get<StateArrival>(came) == StateArrival::kWrong)
    return failed({ErrorCode::kInvalid, what + "twice its checksum was wrong"});
  if (const auto adopted = state_.adopt(); !adopted)
    return failed({ErrorCode::kInvalid, what + adopted.error().message});
  held_ = step;
  log_.info("state received", {{"step", step}, {"from", source}});
  return Outcome::kDone;
}

Outcome TrainingRun::awaitRoster() {
  RosterEvent came = exchange_.awaitRoster(start_.roster.order);
  if (auto* end = std::get_if<ProcessEnd>(&came)) {
    end_ = endOfComplete(std::move(*end));
    return end_->code == ExitCode::kDone ? Outcome::kComplete : Outcome::kEnded;
  }
  if (std::holds_alternative<StopAfter>(came)) return Outcome::kNoSum;
  start_ = std::get<Start>(std::move(came));
  is_resumed_ = true;
  log_.info("members changed", {{"workers", start_.roster.workers()},
                                {"servers", start_.roster.servers()},
                                {"generation", start_.roster.order.generation},
                                {"after", start_.roster.start_step}});
  return Outcome::kDone;
}

Outcome TrainingRun::awaitAgreement(Step step) {
  const auto came = exchange_.awaitAgreement(step);
  if (const auto* end = std::get_if<ProcessEnd>(&came)) return unlessEnded(*end);
  return std::holds_alternative<Agreed>(came) ? Outcome::kDone : Outcome::kNoSum;
}

Outcome TrainingRun::awaitEnd() {
  auto came = exchange_.awaitEndOrHalt();
  auto* const end = std::get_if<ProcessEnd>(&came);
  if (end == nullptr) return Outcome::kNoSum;
  end_ = endOfComplete(std::move(*end));
  return end_->code == ExitCode::kDone ? Outcome::kDone : Outcome::kEnded;
}

void TrainingRun::beginTiming(TimePoint now) {
  begun_ = now;
  data_waited_ = prefetcher_.secondsWaited();
  sum_waited_ = seconds_.waited;
  timer_.begin(now);
}

// Where a step was left open, the time of the next one begins with its end.
Outcome TrainingRun::onStep(Step step, const StepEvent& event, bool is_updated) {
  const auto* sum = std::get_if<Sum>(&event);
  if (sum == nullptr) return withoutSum(event);
  const Outcome applied = apply(step, sum->values, is_updated);
  if (applied != Outcome::kDone) return applied;
  count(step);
  return Outcome::kDone;
}

void TrainingRun::count(Step step) {
  const TimePoint done = clock_.now();
  timer_.end(done);
  if (std::exchange(is_resumed_, false))
    log_.info("training goes on", {{"step", step}, {"pause", secondsBetween(done_at_, done)}});
  done_at_ = done;
  const double seconds = secondsBetween(begun_, done);
  const double sum_wait = seconds_.waited - sum_waited_;
  const double data_wait = prefetcher_.secondsWaited() - data_waited_;
  const double computed = seconds - sum_wait - data_wait;
  const double updated = seconds_.updated + applied_;
  snapshot_.sum_wait_seconds += sum_wait;
  snapshot_.compute_seconds += computed;
  tellComputed(computed - (updated - snapshot_.update_seconds));
  snapshot_.update_seconds = updated;
  snapshot_.step_durations.observe(seconds);
  record(trace::Activity::kStep, step, begun_, done);
  publish(step);
  beginTiming(done);
}

/// For how long this worker has computed the gradients of a step's parts, all of them.
void TrainingRun::tellComputed(double seconds) {
  constexpr double kPerSecond = 1000;
  part_ += std::max(0.0, seconds) / (start_.block.end - start_.block.begin);
  const auto milliseconds = static_cast<std::uint64_t>(kPerSecond * part_);
  exchange_.setComputed(
      {static_cast<std::uint32_t>(snapshot_.steps + 1), static_cast<std::uint32_t>(milliseconds)});
}

Outcome TrainingRun::withoutSum(const StepEvent& event) {
  const auto* end = std::get_if<ProcessEnd>(&event);
  return end == nullptr ? Outcome::kNoSum : unlessEnded(*end);
}

void TrainingRun::record(trace::Activity activity, Step step, TimePoint begin, TimePoint end) {
  if (recorder_ != nullptr && recorder_->covers(step)) recorder_->add({activity, step, begin, end});
}

void TrainingRun::publish(Step step) {
  snapshot_.step = step;
  snapshot_.total_steps = total_steps_;
  snapshot_.epoch = (step - 1) / batches().stepsPerEpoch() + 1;
  snapshot_.loss = last_.loss;
  ++snapshot_.steps;
  snapshot_.samples +=
      batches().firstSample(start_.block.end) - batches().firstSample(start_.block.begin);
  snapshot_.data_wait_seconds = prefetcher_.secondsWaited();
  published_.set(snapshot_);
}

double TrainingRun::meanLoss(float sum) const {
  const auto options = setup_.batchOptions();
  const auto terms = static_cast<double>(options.batch_size * options.unroll);
  return static_cast<double>(sum) / (terms * static_cast<double>(loss_scale_));
}

Outcome TrainingRun::apply(Step step, std::span<const float> sums, bool is_updated) {
  last_.step = step;
  last_.loss = meanLoss(sums[static_cast<std::size_t>(setup_.plan.lossAt())]);
  if (!std::isfinite(last_.loss)) return diverged("loss", step);
  const TimePoint begun = clock_.now();
  const Optimizer::Update update =
      is_updated ? state_.endUpdate(step, sums) : state_.apply(step, sums, pool_);
  last_.learning_rate = update.learning_rate;
  last_.gradient_norm = update.gradient_norm;
  const TimePoint done = clock_.now();
  applied_ += secondsBetween(begun, done);
  record(trace::Activity::kUpdate, step, begun, done);
  if (!std::isfinite(update.gradient_norm)) return diverged("gradient", step);
  held_ = step;
  estimateNoise(sums);
  return Outcome::kDone;
}

/// Both norms are of gradients with the same scale, so that it does not matter.
void TrainingRun::estimateNoise(std::span<const float> sums) {
  if (!noise_) return;
  const double norm = last_.gradient_norm.value_or(0);
  noise_->add(sums[static_cast<std::size_t>(setup_.plan.squaresAt())], norm * norm);
  last_.noise_scale = noise_->estimate();
}

Outcome TrainingRun::evaluate(const Action& action) {
  if (setup_.emulation.isOn()) return Outcome::kDone;  // nothing was learned
  if (!model_) return failed(model_.error());  // scores of a model that is not there help nobody
  const TimePoint begun = clock_.now();
  const Scores* const scores =
      evaluations_->evaluate(action.splits, state_, [this] { return !exchange_.isEnding(); });
  if (scores != nullptr && (scores->valid || scores->test))
    reporter_.onEvaluation(
        evaluatedOf(action.step, *scores, batches().stepsPerEpoch(), setup_.isText()));
  const TimePoint done = clock_.now();
  snapshot_.evaluation_seconds += secondsBetween(begun, done);
  record(trace::Activity::kEvaluation, action.step, begun, done);
  if (scores != nullptr) return unlessSuperseded();
  log_.info("evaluation broken off", {{"step", action.step}});
  const Outcome outcome = unlessEnded(exchange_.end());
  return outcome == Outcome::kDone ? Outcome::kBrokenOff : outcome;
}

Outcome TrainingRun::writeResult() {
  if (!model_) return failed(model_.error());
  if (auto may = holdForResult(); !may) return failed(may.error());
  const JobResult result = this->result();
  reporter_.onResult(result);
  if (!setup_.output_folder.empty()) {
    const auto kept = OutputFolder(setup_.output_folder).writeResult(result);
    if (!kept) return failed(kept.error());
  }
  result_message_ = toMessage(result);
  return Outcome::kDone;
}

ProcessEnd TrainingRun::endOfComplete(ProcessEnd end) const {
  const bool is_complete = isCompleteAt(end.code, !result_message_.empty());
  if (end.code == ExitCode::kDone || !is_complete) return end;
  log_.warn("the job is complete, although not all members have ended", {{"reason", end.reason}});
  return {ExitCode::kDone, result_message_};
}

WorkerTimes TrainingRun::times() const {
  return {.worker = setup_.index,
          .seconds = reporter_.secondsSinceStart(),
          .gradients = snapshot_.compute_seconds - snapshot_.update_seconds,
          .sum_wait = snapshot_.sum_wait_seconds,
          .data_wait = prefetcher_.secondsWaited(),
          .updates = snapshot_.update_seconds};
}

Outcome TrainingRun::unlessEnded(std::optional<ProcessEnd> end) {
  end_ = std::move(end);
  return end_ ? Outcome::kEnded : Outcome::kDone;
}

Outcome TrainingRun::unlessSuperseded() {
  return reporter_.superseded() ? failed(*reporter_.superseded()) : Outcome::kDone;
}

Outcome TrainingRun::failed(const Error& error) {
  cause_ = endOf(error, ExitCode::kFailed);
  return Outcome::kFailed;
}

Outcome TrainingRun::diverged(const std::string& what, Step step) {
  return failed({ErrorCode::kInvalid,
                 "the " + what + " of step " + std::to_string(step) +
                     " is not finite, and will not be when the job is resumed; train it "
                     "in another folder with a lower spec.training.optimizer.learningRate "
                     "or with spec.training.clip.globalNorm"});
}

}  // namespace sumac::worker
