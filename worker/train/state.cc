#include "worker/train/state.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "worker/train/wait_until.h"

namespace sumac::worker {
namespace {

Optimizer::Options optimizerOptions(const job::TrainingSpec& training, Step steps_per_epoch) {
  Optimizer::Options options;
  options.optimizer = training.optimizer;
  options.schedule = training.schedule;
  options.clip_global_norm = training.clip_global_norm;
  options.clip_value = training.clip_value;
  options.steps_per_epoch = steps_per_epoch;
  return options;
}

std::string named(Step step) {
  return "the checkpoint of step " + std::to_string(step);
}

}  // namespace

TrainingState::TrainingState(const TrainingSetup& setup, const Kernels& kernels,
                             Step steps_per_epoch)
    : setup_(setup),
      steps_per_epoch_(steps_per_epoch),
      numerics_(numericsId(kernels.variant())),
      optimizer_(optimizerOptions(setup.job.training, steps_per_epoch), kernels,
                 setup.plan.parameters),
      parts_(setup.network, setup.plan) {
  for (AlignedBuffer& weights : weights_)
    weights = AlignedBuffer(static_cast<std::size_t>(setup.plan.parameters));
}

void TrainingState::initialize() {
  model::initialize(setup_.network, setup_.job.training.initializer, setup_.job.training.seed,
                    weights_[current_].values());
}

Result<void> TrainingState::check(const checkpoint::State& state) const {
  // First, as another numerics number makes another hash too.
  if (state.numerics != numerics_) {
    return Error{ErrorCode::kConflict,
                 named(state.step) + " was computed with numerics " + state.numerics +
                     ", this worker computes with " + numerics_ +
                     "; resume with the version of Sumac that wrote it, or train from the start in "
                     "another folder"};
  }
  return checkPlanHash(setup_, state.step, state.plan_hash);
}

Result<void> TrainingState::resume(Step from, WorkCount* work) {
  // All begin from the step of worker 0's newest checkpoint: usually ours too.
  const auto& newest = setup_.newest_state;
  const auto state = newest && newest->step == from
                         ? Result<checkpoint::State>(*newest)
                         : checkpoint::restore(setup_.checkpoint_folder, setup_.network, from, work,
                                               setup_.plan_hash);
  if (!state) return state.error();
  if (auto fits = check(*state); !fits) return fits;
  if (auto restored = parts_.restore(state->recurrent, state->statistics); !restored) {
    return restored.error().within(named(from) +
                                   " cannot be used, train from the start in another folder");
  }
  std::ranges::copy(state->weights, weights_[current_].values().begin());
  return optimizer_.restore(state->optimizer);
}

Optimizer::Update TrainingState::apply(Step step, std::span<const float> sums, ComputePool& pool) {
  if (emulated_seconds_) {
    waitFor(*emulated_seconds_, emulated_work_);
    return {};
  }
  const auto gradient = sums.first(parameters());
  const auto update =
      optimizer_.apply(step, gradient, weights(), weights_[1 - current_].values(), pool);
  advance(step, sums);
  return update;
}

void TrainingState::advance(Step step, std::span<const float> sums) {
  current_ = 1 - current_;
  parts_.advance(sums);
  if (step % steps_per_epoch_ == 0) parts_.forgetRecurrent();
}

void TrainingState::beginUpdate(Step step) {
  if (emulated_seconds_) return;
  optimizer_.begin(step);
}

void TrainingState::updateRange(std::size_t first, std::size_t count, std::span<const float> sums,
                                ComputePool& pool) {
  const std::size_t end = std::min(first + count, parameters());
  if (first >= end) return;
  if (emulated_seconds_) {
    const double share = static_cast<double>(end - first) / static_cast<double>(parameters());
    return waitFor(share * *emulated_seconds_, emulated_work_);
  }
  optimizer_.applyPiece({first, end - first}, sums.first(parameters()), weights(),
                        weights_[1 - current_].values(), pool);
}

Optimizer::Update TrainingState::endUpdate(Step step, std::span<const float> sums) {
  if (emulated_seconds_) return {};
  const auto update = optimizer_.finish();
  advance(step, sums);
  return update;
}

void TrainingState::dropUpdate() {
  if (!emulated_seconds_) optimizer_.undo();
}

StateView TrainingState::view(Step step) const {
  StateView view{step, {std::as_bytes(weights())}};
  for (const std::span<const float> vector : optimizer_.vectors())
    view.pieces.push_back(std::as_bytes(vector));
  view.pieces.push_back(std::as_bytes(parts_.all()));
  return view;
}

StateRoom TrainingState::room(Step step) {
  StateRoom room{step, {std::as_writable_bytes(weights_[1 - current_].values())}};
  for (const std::span<float> vector : optimizer_.room())
    room.pieces.push_back(std::as_writable_bytes(vector));
  room.pieces.push_back(std::as_writable_bytes(parts_.room()));
  return room;
}

Result<void> TrainingState::adopt() {
  const auto isNumber = [](float value) { return std::isfinite(value); };
  if (!std::ranges::all_of(nextWeights(), isNumber))
    return Error{ErrorCode::kInvalid, "it has weights that are not finite"};
  current_ = 1 - current_;
  optimizer_.adopt();
  parts_.adopt();
  return {};
}

checkpoint::State TrainingState::snapshot(Step step, std::uint32_t term) const {
  checkpoint::State state;
  state.step = step;
  state.term = term;
  state.weights.assign(weights().begin(), weights().end());
  state.optimizer = optimizer_.state();
  state.recurrent.assign(parts_.recurrent().begin(), parts_.recurrent().end());
  state.statistics.assign(parts_.statistics().begin(), parts_.statistics().end());
  state.plan_hash = setup_.plan_hash;
  state.plan_lines = setup_.plan_lines;
  state.numerics = numerics_;
  return state;
}

}  // namespace sumac::worker
