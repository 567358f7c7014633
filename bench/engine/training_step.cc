#include "bench/engine/training_step.h"

#include <optional>
#include <span>
#include <utility>

#include "base/core/clock.h"
#include "engine/data/prefetcher.h"
#include "engine/make/make_engine.h"
#include "engine/memory/memory_need.h"
#include "exchange/plan/exchange_plan.h"
#include "job/model/network.h"
#include "kernels/kernels.h"
#include "worker/train/block_gradient.h"
#include "worker/train/state.h"
#include "worker/train/training_setup.h"

namespace sumac::bench {
namespace {

constexpr std::int64_t kBatches = 64;  // in memory: more than a cache holds

/// What the papers train each network with, on synthetic data.
job::TrainingJob jobOf(const StepOptions& options, const model::Network& network) {
  job::TrainingJob job;
  auto& training = job.training;
  training.batch_size = options.batch;
  training.logical_workers = options.parts;
  training.threads = options.threads;
  job::GeneratedData data;
  if (network.isText()) {
    training.loss_reduction = job::LossReduction::kSumOverTime;
    training.initializer = {model::InitializerKind::kUniform, 0.1};
    training.optimizer.learning_rate = 1.0;
    training.clip_global_norm = 5.0;
    training.unroll = static_cast<int>(network.input.at(0));
    data.vocabulary = static_cast<int>(network.vocabulary());
    data.train_tokens = options.batch * (kBatches * training.unroll + 1);
  } else {
    training.optimizer.learning_rate = 0.001;
    training.optimizer.momentum = 0.9;
    data.train_samples = options.batch * kBatches;
    data.test_samples = network.classes;
    data.shape = network.input;
    data.classes = network.classes;
  }
  job.data.format = job::DataFormat::kGenerated;
  job.data.generated = data;
  return job;
}

Result<worker::TrainingSetup> setupOf(const StepOptions& options) {
  const auto spec = model::fromZoo(options.model);
  if (!spec) return spec.error();
  auto network = model::resolve(*spec, {.vocabulary = static_cast<int>(options.vocabulary)});
  if (!network) return network.error();
  worker::TrainingSetup setup;
  setup.job = jobOf(options, *network);
  setup.network = std::move(*network);
  auto dataset = worker::loadDataset(setup.job.data, {});
  if (!dataset) return dataset.error();
  setup.dataset = std::move(*dataset);
  setup.plan = makeExchangePlan(setup.network, options.batch, options.parts);
  return setup;
}

/// A worker's step without its exchange: the sum over all parts is its own contribution.
class WorkerStep final : public TrainingStep {
 public:
  WorkerStep(worker::TrainingSetup setup, Kernels kernels)
      : setup_(std::move(setup)),
        kernels_(std::move(kernels)),
        pool_(setup_.job.training.threads),
        prefetcher_(worker::TrainingBatches(setup_.dataset, setup_.batchOptions()), clock_),
        state_(setup_, kernels_, prefetcher_.batches().stepsPerEpoch()),
        scale_(1.0F / static_cast<float>(setup_.job.training.batch_size)) {}

  Result<void> begin() {
    const TreeNode block{0, setup_.plan.parts};
    auto engine =
        worker::makeEngine(setup_.network, kernels_, pool_,
                           worker::engineOptions(setup_.job.training, setup_.network, block));
    if (!engine) return engine.error();
    engine_ = std::move(*engine);
    block_.emplace(worker::Compute{kernels_, pool_, *engine_}, prefetcher_, setup_.plan);
    block_->setBlock(block, /*next=*/1);
    state_.initialize();
    return {};
  }

  float run() override {
    ++step_;
    const auto sums =
        block_->compute(step_, state_.weights(), state_.parts(), scale_).front().values;
    state_.apply(step_, sums, pool_);
    return sums[static_cast<std::size_t>(setup_.plan.lossAt())];
  }

  std::int64_t perStep() const override {
    return setup_.job.training.batch_size * prefetcher_.batches().labelsPerSample();
  }
  std::string kernels() const override { return std::string(toString(kernels_.variant())); }

 private:
  const worker::TrainingSetup setup_;
  Kernels kernels_;
  SystemClock clock_;
  worker::ComputePool pool_;
  worker::Prefetcher prefetcher_;
  worker::TrainingState state_;
  float scale_;
  std::unique_ptr<worker::Engine> engine_;
  std::optional<worker::BlockGradient> block_;
  Step step_ = 0;
};

}  // namespace

Result<std::unique_ptr<TrainingStep>> TrainingStep::create(const StepOptions& options) {
  auto setup = setupOf(options);
  if (!setup) return setup.error();
  const auto variants = availableKernelVariants(options.kernels);
  if (!variants) return variants.error();
  auto kernels = Kernels::load(variants->back());
  if (!kernels) return kernels.error();
  auto step = std::make_unique<WorkerStep>(std::move(*setup), std::move(*kernels));
  if (auto begun = step->begin(); !begun) return begun.error();
  return std::unique_ptr<TrainingStep>(std::move(step));
}

}  // namespace sumac::bench
