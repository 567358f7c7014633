#include "worker/train/loop.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <variant>

#include "common/base/crc32c.h"
#include "common/base/file.h"
#include "common/base/sha256.h"
#include "common/base/version.h"
#include "common/checkpoint/checkpoint.h"
#include "common/checkpoint/safetensors.h"
#include "common/optimizer/optimizer.h"
#include "worker/data/sampler.h"
#include "worker/nn/engine.h"
#include "worker/train/block_gradient.h"
#include "worker/train/evaluator.h"
#include "worker/train/run_result.h"
#include "worker/train/step_timer.h"

namespace sumac::worker {
namespace {

constexpr Step kWeightsCrcEvery = 100;
constexpr std::int64_t kEvaluationBatch = 64;
constexpr Step kProgressReports =
    400;  // at most so many in a job: enough for a curve, few enough to keep

BytesView bytesOf(std::span<const float> values) {
  return std::as_bytes(values);
}

std::uint32_t weightsCrc(std::span<const float> weights) {
  return crc32c(bytesOf(weights));
}

/// One worker's training, from admission to its end.
class TrainingRun {
 public:
  TrainingRun(const TrainingSetup& setup, ExchangeClient& exchange, Start start, Kernels kernels,
              std::unique_ptr<Engine> engine, const Clock& clock, const Log& log);

  Result<void> begin();
  End run();

 private:
  /// Computes and exchanges one step; the outcome when the job ends in it.
  std::optional<End> step(Step step);
  std::optional<End> apply(Step step, std::span<const float> sum);
  std::optional<End> afterStep(Step step);
  void report(Step step, const Optimizer::Update& update);
  void evaluate(Step step);
  Result<void> writeCheckpoint(Step step);
  End stop(Step step);
  End finish();
  End failed(const Error& error);
  End diverged(const std::string& what, Step step);
  RunResult result() const;

  bool isEpochEnd(Step step) const { return step % sampler_.stepsPerEpoch() == 0; }
  std::span<const float> weights() const { return weights_[current_]; }
  double secondsSinceStart() const {
    return std::chrono::duration<double>(clock_.now() - started_).count();
  }

  const TrainingSetup& setup_;  // outlives us
  ExchangeClient& exchange_;    // outlives us
  const Clock& clock_;          // outlives us
  const Log& log_;              // outlives us
  Start start_;
  Kernels kernels_;
  std::unique_ptr<Engine> engine_;
  Sampler sampler_;
  BlockGradient block_;
  Evaluator evaluator_;
  Optimizer optimizer_;
  // The update reads one and writes the other: those of the step before stay until it is over.
  std::vector<float> weights_[2];
  std::size_t current_ = 0;
  StepTimer timer_;
  TimePoint started_;
  bool lowest_;
  Step total_steps_ = 0;
  Step first_step_ = 1;
  Optimizer::Update last_update_;
  double last_loss_ = 0;
  double reported_loss_ = 0;  // sum since the last report
  Step reported_steps_ = 0;
  Evaluator::Score last_score_;
  Step evaluated_step_ = -1;
};

Optimizer::Options optimizerOptions(const job::TrainingSpec& training, Step steps_per_epoch) {
  Optimizer::Options options;
  options.optimizer = training.optimizer;
  options.schedule = training.schedule;
  options.clip_global_norm = training.clip_global_norm;
  options.steps_per_epoch = steps_per_epoch;
  return options;
}

TrainingRun::TrainingRun(const TrainingSetup& setup, ExchangeClient& exchange, Start start,
                         Kernels kernels, std::unique_ptr<Engine> engine, const Clock& clock,
                         const Log& log)
    : setup_(setup),
      exchange_(exchange),
      clock_(clock),
      log_(log),
      start_(std::move(start)),
      kernels_(std::move(kernels)),
      engine_(std::move(engine)),
      sampler_(setup.job.training.seed, setup.dataset.train.count(), setup.job.training.batch_size,
               setup.plan.parts),
      block_(*engine_, kernels_, setup.dataset.train, sampler_, setup.plan),
      evaluator_(*engine_, setup.dataset.test, kEvaluationBatch),
      optimizer_(optimizerOptions(setup.job.training, sampler_.stepsPerEpoch()), kernels_,
                 setup.plan.parameters),
      started_(clock.now()),
      lowest_(start_.block.begin == 0) {
  const auto& training = setup.job.training;
  total_steps_ = training.steps ? *training.steps : *training.epochs * sampler_.stepsPerEpoch();
  for (auto& weights : weights_) {
    weights.resize(static_cast<std::size_t>(setup.plan.parameters));
  }
  block_.setBlock(start_.block);
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
  if (from == 0) {
    model::initialize(setup_.network, setup_.job.training.initializer, setup_.job.training.seed,
                      weights_[0]);
    return {};
  }
  // All begin from the step of the lowest worker's newest checkpoint: usually ours too.
  auto state = setup_.newest && setup_.newest->step == from
                   ? Result<checkpoint::State>(*setup_.newest)
                   : checkpoint::restore(setup_.checkpoint_folder, setup_.network, from);
  if (!state) return state.error();
  if (state->plan_hash != setup_.plan_hash) {
    return Error{ErrorCode::kConflict, "the checkpoint of step " + std::to_string(from) + " in " +
                                           setup_.checkpoint_folder.string() +
                                           " is of another job or other data; remove the folder or "
                                           "resume with the job document it was made with"};
  }
  if (const auto numerics = numericsId(kernels_.variant()); state->numerics != numerics) {
    return Error{ErrorCode::kConflict, "the checkpoint of step " + std::to_string(from) +
                                           " was computed with " + state->numerics +
                                           ", this worker computes with " + numerics +
                                           "; go on with the version that it was made with"};
  }
  weights_[0] = std::move(state->weights);
  log_.info("resumed", {{"step", from}});
  return optimizer_.restore(state->optimizer);
}

End TrainingRun::run() {
  for (Step s = first_step_; s <= total_steps_; ++s) {
    const auto last = exchange_.stopAfter();
    if (last && s > *last) return stop(s - 1);
    if (auto outcome = step(s)) return *outcome;
  }
  return finish();
}

std::optional<End> TrainingRun::step(Step step) {
  timer_.begin(clock_.now());
  const auto scale = 1.0F / static_cast<float>(setup_.job.training.batch_size);
  exchange_.submit(step, block_.compute(step, weights(), scale));
  const auto event = exchange_.awaitSum(step);
  if (const auto* end = std::get_if<End>(&event)) return *end;
  if (std::holds_alternative<StopAfter>(event)) return stop(step - 1);
  if (auto outcome = apply(step, std::get<Sum>(event).values)) return outcome;
  timer_.end(clock_.now());
  return afterStep(step);
}

std::optional<End> TrainingRun::apply(Step step, std::span<const float> sum) {
  const auto parameters = static_cast<std::size_t>(setup_.plan.parameters);
  last_loss_ = static_cast<double>(sum[parameters]);
  if (!std::isfinite(last_loss_)) return diverged("loss", step);
  last_update_ =
      optimizer_.apply(step, sum.first(parameters), weights_[current_], weights_[1 - current_]);
  if (!std::isfinite(last_update_.gradient_norm)) return diverged("gradient", step);
  current_ = 1 - current_;
  return std::nullopt;
}

std::optional<End> TrainingRun::afterStep(Step step) {
  if (step % kWeightsCrcEvery == 0) exchange_.reportWeights(step, weightsCrc(weights()));
  if (!lowest_) return std::nullopt;
  report(step, last_update_);
  const auto every = setup_.job.training.evaluation_every_epochs;
  if (every > 0 && isEpochEnd(step) && (step / sampler_.stepsPerEpoch()) % every == 0) {
    evaluate(step);
  }
  const Step checkpoint_every = setup_.job.checkpoint.every_steps;
  if (checkpoint_every > 0 && step % checkpoint_every == 0 && step < total_steps_) {
    if (auto written = writeCheckpoint(step); !written) return failed(written.error());
  }
  return std::nullopt;
}

void TrainingRun::report(Step step, const Optimizer::Update& update) {
  reported_loss_ += last_loss_;
  ++reported_steps_;
  const Step every = std::max<Step>(1, (total_steps_ + kProgressReports - 1) / kProgressReports);
  if (step % every != 0 && step != total_steps_) return;
  ProgressReport line;
  line.step = step;
  line.total_steps = total_steps_;
  line.epoch = sampler_.epochOf(step) + 1;
  line.loss = reported_loss_ / static_cast<double>(reported_steps_);
  line.learning_rate = update.learning_rate;
  line.gradient_norm = update.gradient_norm;
  line.samples_per_second =
      timer_.stepsPerSecond() * static_cast<double>(setup_.job.training.batch_size);
  line.seconds = secondsSinceStart();
  exchange_.reportProgress(toJson(line));
  reported_loss_ = 0;
  reported_steps_ = 0;
}

void TrainingRun::evaluate(Step step) {
  last_score_ = evaluator_.evaluate(weights());
  evaluated_step_ = step;
  EvaluationReport line;
  line.step = step;
  line.epoch = step / sampler_.stepsPerEpoch();
  line.test_accuracy = last_score_.accuracy;
  line.test_loss = last_score_.loss;
  exchange_.reportProgress(toJson(line));
}

Result<void> TrainingRun::writeCheckpoint(Step step) {
  if (setup_.checkpoint_folder.empty()) return {};
  checkpoint::State state;
  state.step = step;
  state.term = start_.roster.epoch.term;
  state.weights.assign(weights().begin(), weights().end());
  state.optimizer = optimizer_.state();
  state.plan_hash = setup_.plan_hash;
  state.numerics = numericsId(kernels_.variant());
  const auto written = checkpoint::write(setup_.checkpoint_folder, setup_.network, state,
                                         setup_.job.checkpoint.keep);
  if (!written) return written.error();
  log_.info("checkpoint written", {{"step", step}, {"path", written->string()}});
  exchange_.checkpointed(step);
  return {};
}

End TrainingRun::stop(Step step) {
  log_.info("stopping on request", {{"step", step}});
  if (lowest_) {
    if (auto written = writeCheckpoint(step); !written) return failed(written.error());
  }
  exchange_.stopped();
  return exchange_.awaitEnd();
}

End TrainingRun::finish() {
  if (!lowest_) {
    exchange_.finished({});
    return exchange_.awaitEnd();
  }
  if (evaluated_step_ != total_steps_) evaluate(total_steps_);
  if (auto written = writeCheckpoint(total_steps_); !written) return failed(written.error());
  if (!setup_.output_folder.empty()) {
    const auto file = checkpoint::encodeSafetensors(
        setup_.network, weights(),
        {{"model", setup_.network.name}, {"numerics", numericsId(kernels_.variant())}});
    if (auto written = replaceFile(setup_.output_folder / "model.safetensors", file); !written) {
      return failed(written.error());
    }
  }
  exchange_.finished(toJson(result()));
  return exchange_.awaitEnd();
}

RunResult TrainingRun::result() const {
  const auto batch_size = setup_.job.training.batch_size;
  RunResult result;
  result.steps = total_steps_;
  result.epochs = total_steps_ / sampler_.stepsPerEpoch();
  result.seconds = secondsSinceStart();
  result.samples = total_steps_ * batch_size;
  result.steps_per_second = timer_.stepsPerSecond();
  result.samples_per_second = result.steps_per_second * static_cast<double>(batch_size);
  result.batches_per_second =
      result.steps_per_second * static_cast<double>(start_.roster.workers());
  if (first_step_ <= total_steps_) result.train_loss = last_loss_;
  result.test_accuracy = last_score_.accuracy;
  result.parameters_sha256 = sha256Hex(bytesOf(weights()));
  result.logical_workers = setup_.plan.parts;
  result.workers = start_.roster.workers();
  result.servers = start_.roster.servers();
  result.numerics = numericsId(kernels_.variant());
  result.seed = setup_.job.training.seed;
  return result;
}

End TrainingRun::diverged(const std::string& what, Step step) {
  return failed(Error{ErrorCode::kInvalid,
                      "the " + what + " of step " + std::to_string(step) +
                          " is not finite; lower spec.training.optimizer.learningRate or set "
                          "spec.training.clip.globalNorm"});
}

End TrainingRun::failed(const Error& error) {
  exchange_.fail(ExitCode::kFailed, error.message);
  exchange_.awaitEnd();  // until the others have been told
  return End{ExitCode::kFailed, error.message};
}

std::int64_t largestBatch(const TrainingSetup& setup) {
  const std::int64_t parts = setup.plan.parts;
  const std::int64_t largest_part = (setup.job.training.batch_size + parts - 1) / parts;
  return std::max(largest_part, kEvaluationBatch);
}

}  // namespace

std::string numericsId(KernelVariant variant) {
  return std::string(toString(variant)) + "/" + kVersion;
}

End train(const TrainingSetup& setup, ExchangeClient& exchange, const Clock& clock,
          const Log& log) {
  const auto give_up = [&exchange](const Error& error) {
    exchange.fail(ExitCode::kBadConfiguration, error.message);
    exchange.awaitEnd();  // until the others have been told
    return End{ExitCode::kBadConfiguration, error.message};
  };
  auto event = exchange.join();
  if (auto* end = std::get_if<End>(&event)) return *end;
  auto* start = &std::get<Start>(event);
  const auto variant = kernelVariantFromName(start->roster.kernels);
  if (!variant) return give_up(variant.error());
  auto kernels = Kernels::load(*variant);
  if (!kernels) return give_up(kernels.error());
  ComputePool pool(setup.job.training.threads);
  auto engine =
      Engine::create(setup.network, *kernels, pool,
                     {.max_samples = largestBatch(setup), .seed = setup.job.training.seed});
  if (!engine) return give_up(engine.error());
  TrainingRun run(setup, exchange, std::move(*start), std::move(*kernels), std::move(*engine),
                  clock, log);
  if (auto begun = run.begin(); !begun) return give_up(begun.error());
  return run.run();
}

}  // namespace sumac::worker
