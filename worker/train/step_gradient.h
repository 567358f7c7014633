#pragma once

#include <cstddef>
#include <span>

#include "base/core/step.h"
#include "engine/nn/engine.h"
#include "exchange/member/contribution.h"
#include "worker/train/part_states.h"

namespace sumac::worker {

/// Follows a block's contributions while they are computed, so that they can be sent meanwhile.
/// Called by the trainer's thread in the middle of StepGradient::compute(): may use the compute
/// pool, but neither the engine nor the block.
class ContributionObserver {
 public:
  virtual ~ContributionObserver() = default;

  /// Of the contribution at `index` the values [first, first + count) are final: nobody writes them
  /// before the step after the next. Every value of every contribution is announced once; one
  /// contribution after the other, in the last of its parts, the last layer's gradients first and
  /// the loss and the part state at the end.
  virtual void onFinal(std::size_t index, std::size_t first, std::size_t count) = 0;
};

/// Who goes along with a step. Null: nobody; all weights are there.
struct StepHooks {
  ContributionObserver* observer = nullptr;
  WeightsGate* gate = nullptr;
};

/// Where a step's contributions come from: what computes them, or what stands in for that. Owned by
/// the trainer's thread.
class StepGradient {
 public:
  virtual ~StepGradient() = default;

  /// The contributions of `step`, with the loss of their parts times `scale` and their state after
  /// the step. They stay as they are until this is called for the step after the next.
  virtual std::span<const Contribution> compute(Step step, std::span<const float> weights,
                                                const PartStates& states, float scale,
                                                const StepHooks& hooks) = 0;

  /// Where compute() puts the contributions of `step`.
  virtual std::span<const Contribution> contributions(Step step) const = 0;
};

}  // namespace sumac::worker
