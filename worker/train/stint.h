#pragma once

#include <memory>
#include <optional>

#include "base/core/result.h"
#include "engine/data/prefetcher.h"
#include "engine/nn/engine.h"
#include "exchange/client/exchange_client.h"
#include "worker/train/block_gradient.h"
#include "worker/train/compute.h"
#include "worker/train/emulated_gradient.h"
#include "worker/train/state.h"
#include "worker/train/step_exchange.h"
#include "worker/train/surroundings.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {

/// What a worker computes with as a member of one roster: an engine, the gradients of its block in
/// memory of their own, and their exchange. Each roster gets another one: the memory that
/// contributions were sent from lives as long as anybody reads it. Owned by the trainer's thread.
class Stint {
 public:
  /// What stays from roster to roster, and outlives them.
  struct Ground {
    const TrainingSetup& setup;
    ExchangeClient& exchange;
    const Kernels& kernels;
    ComputePool& pool;
    Prefetcher& prefetcher;
    TrainingState& state;
    const Surroundings& surroundings;
    StepExchange::Options options;
    StepExchange::Owner& owner;
  };

  /// For the parts of start.block, from the step after the roster's start on. Fails where there is
  /// no such engine, or an emulation cannot begin.
  static Result<std::unique_ptr<Stint>> make(const Ground& ground, const Start& start);

  StepExchange& steps() { return *steps_; }
  const Compute& compute() const { return compute_; }
  /// What computing takes where it is emulated.
  std::optional<EmulatedComputing> emulatedComputing() const {
    return emulated_ ? std::optional(emulated_->computing()) : std::nullopt;
  }

 private:
  Stint(const Ground& ground, std::unique_ptr<Engine> engine);
  Result<void> begin(const Ground& ground, const Start& start);

  const std::unique_ptr<Engine> engine_;
  Compute compute_;
  BlockGradient block_;
  std::optional<EmulatedGradient> emulated_;  // instead of block_
  std::optional<StepExchange> steps_;
};

}  // namespace sumac::worker
