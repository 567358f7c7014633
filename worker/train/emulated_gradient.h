#pragma once

#include <filesystem>
#include <optional>
#include <span>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/log/log.h"
#include "worker/train/block_gradient.h"
#include "worker/train/compute.h"
#include "worker/train/state.h"
#include "worker/train/step_gradient.h"
#include "worker/train/step_times.h"
#include "worker/train/surroundings.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {

/// Stands in for a BlockGradient that has computed the contributions of two steps: hands these out
/// in every step, as they are, at the times at which computing would have had them: those of a
/// profile, or measured. Weights are waited for where computing would have read them, and not read.
/// Owned by the trainer's thread.
class EmulatedGradient final : public StepGradient {
 public:
  /// The references outlive us.
  EmulatedGradient(BlockGradient& block, const TrainingSetup& setup, const Compute& compute,
                   const Surroundings& surroundings);

  /// Computes what will be handed out from step `next` on, and takes over the times of a step: of
  /// the profile, or of the folder, where it measures them unless another worker has; from now on
  /// steps and updates of `state` take these times. Requires a block that begins with that step.
  /// Fails with kUnavailable where the folder cannot be used, with kInvalid where it or the profile
  /// is of another job, with kNotFound where the profile has no such share.
  Result<void> begin(TreeNode parts, Step next, TrainingState& state, float scale);

  /// Requires begin().
  std::span<const Contribution> compute(Step step, std::span<const float> weights,
                                        const PartStates& states, float scale,
                                        const StepHooks& hooks) override;
  std::span<const Contribution> contributions(Step step) const override {
    return block_.contributions(step);
  }
  /// What is waited for, before the slowdown. Requires begin().
  const EmulatedComputing& computing() const { return times_->computing; }

 private:
  /// What a real step is computed from.
  struct Inputs {
    Step next;
    const TrainingState& state;
    float scale;
  };
  StepTimes oneStep(const Inputs& inputs, Step step);
  StepTimes measure(const Inputs& inputs);
  double measureUpdate(Step step) const;
  Result<HeldStepTimes> profiled(TreeNode parts, const Inputs& inputs);
  Result<HeldStepTimes> measured(TreeNode parts, const Inputs& inputs);
  Result<void> replay(StepTimes times);
  void followSlowFile();

  BlockGradient& block_;        // outlives us
  const TrainingSetup& setup_;  // outlives us
  Compute compute_;
  const Clock& clock_;              // outlives us
  const Log& log_;                  // outlives us
  TrainingState* state_ = nullptr;  // outlives us; of begin()
  std::optional<StepTimes> times_;
  std::filesystem::path slow_file_;  // empty: there is none
  double factor_ = 1;                // that it said
};

}  // namespace sumac::worker
