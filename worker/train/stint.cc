#include "worker/train/stint.h"

#include <algorithm>
#include <utility>

#include "engine/make/make_engine.h"
#include "engine/memory/memory_need.h"

namespace sumac::worker {

Result<std::unique_ptr<Stint>> Stint::make(const Ground& ground, const Start& start) {
  const TrainingSetup& setup = ground.setup;
  Engine::Options options = engineOptions(setup.job.training, setup.network, start.block);
  if (start.roster.writer.index == setup.index) {  // evaluates, also where it is not the first
    options.max_samples =
        std::max(options.max_samples, evaluationBatch(setup.job.training, setup.isText()));
  }
  auto engine = makeEngine(setup.network, ground.kernels, ground.pool, options);
  if (!engine) return engine.error();
  std::unique_ptr<Stint> stint(new Stint(ground, *std::move(engine)));
  if (auto begun = stint->begin(ground, start); !begun) return begun.error();
  return stint;
}

Stint::Stint(const Ground& ground, std::unique_ptr<Engine> engine)
    : engine_(std::move(engine)),
      compute_{ground.kernels, ground.pool, *engine_, &ground.exchange.work()},
      block_(compute_, ground.prefetcher, ground.setup.plan) {}

Result<void> Stint::begin(const Ground& ground, const Start& start) {
  const Step next = start.roster.start_step + 1;
  block_.traceTo(ground.surroundings.recorder);
  block_.setBlock(start.block, next);
  if (ground.setup.emulation.isOn()) {
    emulated_.emplace(block_, ground.setup, compute_, ground.surroundings);
    auto begun = emulated_->begin(start.block, next, ground.state, ground.options.loss_scale);
    if (!begun) return begun;
  }
  StepGradient& gradient = emulated_ ? static_cast<StepGradient&>(*emulated_) : block_;
  steps_.emplace(ground.exchange, gradient, ground.state, compute_, ground.options, ground.owner);
  return {};
}

}  // namespace sumac::worker
