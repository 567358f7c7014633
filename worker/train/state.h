#pragma once

#include <array>
#include <optional>
#include <span>

#include "base/core/result.h"
#include "engine/checkpoint/checkpoint.h"
#include "engine/nn/compute_pool.h"
#include "engine/optimizer/optimizer.h"
#include "exchange/member/state_transfer.h"
#include "kernels/aligned_buffer.h"
#include "worker/train/part_states.h"
#include "worker/train/training_setup.h"

namespace sumac::worker {

/// Everything that steps change: weights, the optimizer's state and part state. The same bits in
/// every worker. Owned by the trainer's thread; no step allocates.
class TrainingState {
 public:
  /// `setup` outlives us.
  TrainingState(const TrainingSetup& setup, const Kernels& kernels, Step steps_per_epoch);

  /// As the job begins.
  void initialize();
  /// As after step `from`, from the checkpoint that all workers resume from. Fails with kConflict
  /// when it is of another job, of other data or made by another build.
  /// `work`, where it is given, counts what is read.
  Result<void> resume(Step from, WorkCount* work = nullptr);

  std::span<const float> weights() const { return weights_[current_].values(); }
  const PartStates& parts() const { return parts_; }

  /// Takes the sums of `step`, ExchangePlan::values. What was before them stays until the next
  /// call: the update reads one half of the memory and writes the other. The last step of an epoch
  /// leaves recurrent state of zero, so that all checkpoints of that step are the same.
  Optimizer::Update apply(Step step, std::span<const float> sums, ComputePool& pool);

  /// The same, but as the sums come: beginUpdate(), updateRange() of every range once, and
  /// endUpdate(), or dropUpdate(). Until then weights() and parts() are those before the step, and
  /// nextWeights() those after it as far as their sums have come. Requires what
  /// overlapsForward() (exchange/membership/member_memory.h) requires.
  void beginUpdate(Step step);
  /// Of `sums` the values [first, first + count) have come; those beyond the parameters wait for
  /// the end.
  void updateRange(std::size_t first, std::size_t count, std::span<const float> sums,
                   ComputePool& pool);
  std::span<const float> nextWeights() const { return weights_[1 - current_].values(); }
  Optimizer::Update endUpdate(Step step, std::span<const float> sums);
  /// The step is not to be finished: all is as before it.
  void dropUpdate();

  /// From now on updates change nothing, and one takes `seconds` of waiting, which `work` counts.
  /// It outlives us; null: nobody looks.
  void emulateUpdates(double seconds, WorkCount* work = nullptr) {
    emulated_seconds_ = seconds;
    emulated_work_ = work;
  }

  // What travels to workers that lack it (exchange/member/state_transfer.h)

  /// The state after `step`, as it stands in memory.
  StateView view(Step step) const;
  /// Memory for the state after `step`, beside the one that is here.
  StateRoom room(Step step);
  /// What has come into the room is the state from now on. Fails with kInvalid, changing nothing,
  /// where it has weights that are no numbers.
  Result<void> adopt();

  /// Allocates.
  checkpoint::State snapshot(Step step, std::uint32_t term) const;

 private:
  Result<void> check(const checkpoint::State& state) const;
  std::size_t parameters() const { return static_cast<std::size_t>(setup_.plan.parameters); }
  void advance(Step step, std::span<const float> sums);

  const TrainingSetup& setup_;  // outlives us
  Step steps_per_epoch_;
  std::string numerics_;
  Optimizer optimizer_;
  PartStates parts_;
  std::array<AlignedBuffer, 2> weights_;
  std::size_t current_ = 0;
  std::optional<double> emulated_seconds_;  // of an update; nothing: updates are real
  WorkCount* emulated_work_ = nullptr;      // outlives us
};

}  // namespace sumac::worker
