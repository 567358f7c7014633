#include "worker/train/training_run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>
#include <variant>

#include "common/base/crc32c.h"
#include "common/base/sha256.h"
#include "common/base/version.h"
#include "common/checkpoint/checkpoint.h"
#include "common/process/incarnation.h"
#include "common/progress/output_folder.h"
#include "worker/memory/memory_need.h"
#include "worker/train/model_file.h"
#include "worker/train/processors.h"

namespace sumac::worker {
namespace {

constexpr Step kWeightsCrcEvery = 100;

Step totalSteps(const job::TrainingSpec& training, Step steps_per_epoch) {
  return training.steps ? *training.steps : *training.epochs * steps_per_epoch;
}

/// Mean over the samples and, unless the job says sumOverTime, over the time steps of text.
float lossScale(const TrainingSetup& setup) {
  const auto& training = setup.job.training;
  const auto options = setup.batchOptions();
  const bool over_time =
      setup.isText() && training.loss_reduction == job::LossReduction::kSumOverTime;
  const std::int64_t terms = options.batch_size * (over_time ? 1 : options.unroll);
  return 1.0F / static_cast<float>(terms);
}

double secondsBetween(TimePoint begin, TimePoint end) {
  return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

TrainingRun::TrainingRun(const TrainingSetup& setup, ExchangeClient& exchange, Start start,
                         const Compute& compute, const Surroundings& surroundings)
    : setup_(setup),
      exchange_(exchange),
      clock_(surroundings.clock),
      wall_clock_(surroundings.wall_clock),
      log_(surroundings.log),
      published_(surroundings.published),
      start_(std::move(start)),
      started_(wall_clock_.now()),
      compute_(compute),
      prefetcher_(TrainingBatches(setup.dataset, setup.batchOptions()), clock_),
      total_steps_(totalSteps(setup.job.training, batches().stepsPerEpoch())),
      block_(compute_, prefetcher_, setup.plan),
      state_(setup, compute_.kernels, batches().stepsPerEpoch()),
      reporter_(exchange, timer_, clock_, log_,
                {.total_steps = total_steps_,
                 .steps_per_epoch = batches().stepsPerEpoch(),
                 .batch_size = setup.job.training.batch_size,
                 .is_text = setup.isText()}),
      mean_statistics_(static_cast<std::size_t>(setup.network.statistics)),
      lowest_(start_.block.begin == 0),
      writer_(newIncarnation()),
      loss_scale_(lossScale(setup)) {
  if (lowest_) makeEvaluators();
}

void TrainingRun::makeEvaluators() {
  Engine& engine = compute_.engine;
  const auto batches = setup_.batchOptions();
  const EvaluationBatches::Options options{
      .max_samples = largestBatch(training(), setup_.isText(), lowest_),
      .batch_size = batches.batch_size,
      .unroll = batches.unroll};
  if (!setup_.isText()) {
    test_.emplace(engine, EvaluationBatches(setup_.dataset.images.test, options), 0);
    return;
  }
  const auto make = [&](std::optional<Evaluator>& evaluator, std::span<const std::int32_t> tokens) {
    if (!EvaluationBatches::isEnough(tokens, options)) return;
    evaluator.emplace(engine, EvaluationBatches(tokens, options), setup_.network.recurrent);
  };
  make(valid_, setup_.dataset.text.valid);
  make(test_, setup_.dataset.text.test);
}

Result<void> TrainingRun::beginOutput(bool from_the_beginning) {
  if (!lowest_ || setup_.output_folder.empty()) return {};
  const OutputFolder output(setup_.output_folder);
  output.removeResult();
  auto metrics = MetricsFile::open(output, from_the_beginning);
  if (!metrics) return metrics.error();
  reporter_.writeTo(*std::move(metrics));
  return {};
}

Result<void> TrainingRun::begin() {
  const Step from = start_.roster.start_step;
  first_step_ = from + 1;
  if (from > total_steps_) {
    return Error{ErrorCode::kConflict,
                 "the newest checkpoint is of step " + std::to_string(from) +
                     ", beyond the job's " + std::to_string(total_steps_) +
                     " steps; raise spec.training.steps or epochs, or choose another folder"};
  }
  if (auto opened = beginOutput(from == 0); !opened) return opened;
  block_.setBlock(start_.block, first_step_);
  if (from == 0) {
    state_.initialize();
    return {};
  }
  log_.info("resuming", {{"step", from}});
  return state_.resume(from);
}

ProcessEnd TrainingRun::run() {
  for (Step s = first_step_; s <= total_steps_; ++s) {
    const auto last = exchange_.stopOrder().after;
    if (last && s > *last) return stop(s - 1);
    if (auto outcome = step(s)) return *outcome;
  }
  return finish();
}

std::optional<ProcessEnd> TrainingRun::step(Step step) {
  const TimePoint begun = clock_.now();
  const double waited = prefetcher_.secondsWaited();
  timer_.begin(begun);
  exchange_.submit(step, block_.compute(step, state_.weights(), state_.parts(), loss_scale_));
  const TimePoint computed = clock_.now();
  const auto event = exchange_.awaitSum(step);
  const TimePoint summed = clock_.now();
  snapshot_.sum_wait_seconds += secondsBetween(computed, summed);
  if (const auto* end = std::get_if<ProcessEnd>(&event)) return *end;
  if (std::holds_alternative<StopAfter>(event)) return stop(step - 1);
  if (auto outcome = apply(step, std::get<Sum>(event).values)) return outcome;
  const TimePoint done = clock_.now();
  timer_.end(done);
  snapshot_.compute_seconds += secondsBetween(begun, computed) + secondsBetween(summed, done) -
                               (prefetcher_.secondsWaited() - waited);
  snapshot_.step_durations.observe(secondsBetween(begun, done));
  publish(step);
  return afterStep(step);
}

void TrainingRun::publish(Step step) {
  snapshot_.step = step;
  snapshot_.total_steps = total_steps_;
  snapshot_.epoch = (step - 1) / batches().stepsPerEpoch() + 1;
  snapshot_.loss = last_.loss;
  ++snapshot_.steps;
  snapshot_.samples +=
      batches().firstSample(start_.block.end) - batches().firstSample(start_.block.begin);
  snapshot_.data_wait_seconds = last_.data_wait_seconds;
  published_.set(snapshot_);
}

double TrainingRun::meanLoss(float sum) const {
  const auto options = setup_.batchOptions();
  const auto terms = static_cast<double>(options.batch_size * options.unroll);
  return static_cast<double>(sum) / (terms * static_cast<double>(loss_scale_));
}

std::optional<ProcessEnd> TrainingRun::apply(Step step, std::span<const float> sums) {
  last_.step = step;
  last_.loss = meanLoss(sums[static_cast<std::size_t>(setup_.plan.lossAt())]);
  if (!std::isfinite(last_.loss)) return diverged("loss", step);
  last_.update = state_.apply(step, sums, compute_.pool);
  if (!std::isfinite(last_.update.gradient_norm)) return diverged("gradient", step);
  last_.data_wait_seconds = prefetcher_.secondsWaited();
  return std::nullopt;
}

std::optional<ProcessEnd> TrainingRun::afterStep(Step step) {
  if (step % kWeightsCrcEvery == 0 || isCheckpointDue(step)) reportWeights(step);
  if (!lowest_) return std::nullopt;
  reporter_.onStep(last_);
  const auto every = training().evaluation_every_epochs;
  const Step in_epoch = batches().stepsPerEpoch();
  if (every > 0 && step % in_epoch == 0 && (step / in_epoch) % every == 0) {
    evaluate(step, /*at_end=*/false);
  }
  return isCheckpointDue(step) ? writeCheckpoint(step) : std::nullopt;
}

/// The same in all workers.
bool TrainingRun::isCheckpointDue(Step step) const {
  const Step every = setup_.job.checkpoint.every_steps;
  return every > 0 && step % every == 0 && step < total_steps_;
}

void TrainingRun::reportWeights(Step step) {
  if (step == reported_step_) return;
  reported_step_ = step;
  exchange_.reportWeights(step, crc32c(std::as_bytes(state_.weights())));
}

// Training on text is watched on the validation split; its test split is for the end.
void TrainingRun::evaluate(Step step, bool at_end) {
  const TimePoint begun = clock_.now();
  state_.parts().meanStatistics(mean_statistics_);
  const auto score = [&](std::optional<Evaluator>& split) {
    return split ? std::optional(split->evaluate(state_.weights(), mean_statistics_))
                 : std::nullopt;
  };
  const bool again = step == evaluated_step_;
  if (!again) scores_.valid = score(valid_);
  if (setup_.isText() ? at_end : !again) scores_.test = score(test_);
  evaluated_step_ = step;
  if (scores_.valid || scores_.test) reporter_.onEvaluation(step, scores_);
  snapshot_.evaluation_seconds += secondsBetween(begun, clock_.now());
}

std::optional<ProcessEnd> TrainingRun::writeCheckpoint(Step step) {
  if (setup_.checkpoint_folder.empty()) return std::nullopt;
  const TimePoint begun = clock_.now();
  std::optional<ProcessEnd> end;
  const auto confirm = [&]() -> Result<void> {
    end = exchange_.awaitAgreement(step);
    if (end) return Error{ErrorCode::kUnavailable, "the job has ended"};
    return {};
  };
  const auto written = checkpoint::write(
      setup_.checkpoint_folder, setup_.network, state_.snapshot(step, start_.roster.order.term),
      {.keep = setup_.job.checkpoint.keep, .writer = writer_, .confirm = confirm});
  if (end) return end;
  if (!written) return failed(written.error());
  log_.info("checkpoint written", {{"step", step}, {"path", written->string()}});
  reporter_.onCheckpoint(step);
  snapshot_.checkpoint_seconds += secondsBetween(begun, clock_.now());
  ++snapshot_.checkpoints;
  snapshot_.checkpoint_step = step;
  published_.set(snapshot_);
  return std::nullopt;
}

ProcessEnd TrainingRun::stop(Step step) {
  log_.info("stopping on request", {{"step", step}});
  reportWeights(step);
  if (lowest_ || exchange_.stopOrder().writes) {
    if (auto end = writeCheckpoint(step)) return *end;
  }
  exchange_.stopped();
  return exchange_.awaitEnd();
}

ProcessEnd TrainingRun::finish() {
  reportWeights(total_steps_);
  if (!lowest_) {
    exchange_.finished({});
    return exchange_.awaitEnd();
  }
  // First the checkpoint: a stop does not wait for a long evaluation.
  if (auto end = writeCheckpoint(total_steps_)) return *end;
  if (setup_.isText() || evaluated_step_ != total_steps_) evaluate(total_steps_, /*at_end=*/true);
  if (auto end = exchange_.awaitAgreement(total_steps_)) return *end;
  const auto written = writeModelFile(setup_, state_.weights(), mean_statistics_,
                                      numericsId(compute_.kernels.variant()));
  if (!written) return failed(written.error());
  const JobResult result = this->result();
  reporter_.onResult(result);
  if (setup_.output_folder.empty()) {
    exchange_.finished(toMessage(result));
    return exchange_.awaitEnd();
  }
  const OutputFolder output(setup_.output_folder);
  if (auto kept = output.writeResult(result); !kept) return failed(kept.error());
  exchange_.finished(toMessage(result));
  ProcessEnd end = exchange_.awaitEnd();
  // Another worker may have failed at the very end.
  if (end.code != ExitCode::kDone) output.removeResult();
  return end;
}

JobResult TrainingRun::result() {
  const auto& strategy = setup_.job.strategy;
  const auto traffic = exchange_.statistics();
  const std::string kernels(toString(compute_.kernels.variant()));
  JobResult result;
  result.setting = {
      .job = setup_.job.name,
      .model = setup_.network.name,
      .topology =
          strategy.topology == job::Topology::kCentralized ? "centralized" : "decentralized",
      .batch_size = training().batch_size,
      .logical_workers = setup_.plan.parts,
      .workers = start_.roster.workers(),
      .servers = start_.roster.servers(),
      .threads = training().threads,
      .kernels = kernels,
      .numerics = numericsId(compute_.kernels.variant()),
      .cpu = processorName(),
      .seed = training().seed,
      .version = kVersion,
  };
  result.steps = total_steps_;
  result.epochs = total_steps_ / batches().stepsPerEpoch();
  if (first_step_ <= total_steps_) result.loss = last_.loss;
  putScores(result);
  result.parameters_sha256 = sha256Hex(std::as_bytes(state_.weights()));
  if (!setup_.output_folder.empty()) {
    result.model_path =
        std::filesystem::absolute(OutputFolder(setup_.output_folder).model()).string();
  }
  result.started = started_;
  result.ended = wall_clock_.now();
  result.seconds = reporter_.secondsSinceStart();
  result.batches_per_second = timer_.stepsPerSecond();
  result.samples_per_second = timer_.stepsPerSecond() * static_cast<double>(training().batch_size);
  result.split = {.compute = snapshot_.compute_seconds,
                  .sum_wait = snapshot_.sum_wait_seconds,
                  .data_wait = prefetcher_.secondsWaited(),
                  .evaluation = snapshot_.evaluation_seconds,
                  .checkpoint = snapshot_.checkpoint_seconds};
  result.sent_bytes = traffic.bytes_sent;
  result.received_bytes = traffic.bytes_received;
  return result;
}

void TrainingRun::putScores(JobResult& result) const {
  if (!setup_.isText()) {
    if (scores_.test) result.test_accuracy = scores_.test->accuracy;
    return;
  }
  if (scores_.valid) result.valid_perplexity = scores_.valid->perplexity();
  if (scores_.test) result.test_perplexity = scores_.test->perplexity();
}

ProcessEnd TrainingRun::diverged(const std::string& what, Step step) {
  return failed(Error{ErrorCode::kInvalid,
                      "the " + what + " of step " + std::to_string(step) +
                          " is not finite; lower spec.training.optimizer.learningRate or set "
                          "spec.training.clip.globalNorm"});
}

ProcessEnd TrainingRun::failed(const Error& error) {
  exchange_.fail(ExitCode::kFailed, error.message);
  exchange_.awaitEnd();  // until the others have been told
  return ProcessEnd{ExitCode::kFailed, error.message};
}

}  // namespace sumac::worker
