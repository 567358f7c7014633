#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/core/step.h"
#include "base/trace/recorder.h"
#include "engine/data/prefetcher.h"
#include "engine/nn/engine.h"
#include "exchange/plan/exchange_plan.h"
#include "exchange/plan/part_tree.h"
#include "kernels/aligned_buffer.h"
#include "worker/train/compute.h"
#include "worker/train/part_states.h"
#include "worker/train/step_gradient.h"

namespace sumac::worker {

/// The gradients of one worker's block of parts, summed along the fixed tree: what the worker
/// contributes to a step, without copies. Owned by the trainer's thread; all
/// buffers are made when the block is set.
class BlockGradient final : public StepGradient {
 public:
  /// The references outlive us.
  BlockGradient(const Compute& compute, Prefetcher& prefetcher, const ExchangePlan& plan);
  ~BlockGradient() override;

  /// Records the passes of each part. The recorder outlives us; null: nothing is recorded.
  void traceTo(trace::Recorder* recorder) { recorder_ = recorder; }

  /// The parts to compute from now on, beginning with those of `next`. Requires a block within [0,
  /// V).
  void setBlock(TreeNode block, Step next);

  /// One contribution for each maximal node of the block, with the loss of its parts times
  /// `scale`, their state after the step and, where the plan has it, the sum of their gradients'
  /// squared norms.
  ///
  /// The contributions of a step stay as they are until this is called for the step after the next:
  /// messages are sent from here. Requires that nobody reads them any more
  /// (ExchangeClient::awaitBuffers()).
  std::span<const Contribution> compute(Step step, std::span<const float> weights,
                                        const PartStates& states, float scale,
                                        const StepHooks& hooks = {}) override;

  /// Where compute() puts the contributions of `step`. Requires a block.
  std::span<const Contribution> contributions(Step step) const override {
    return setOf(step).contributions;
  }

 private:
  /// An addition of a right child, once its values are final, to the left one's.
  struct Addition {
    std::span<float> sum;
    std::span<const float> right;
  };
  /// One part of a contribution, in the order of the tree's leaves.
  struct Leaf {
    int part;
    std::size_t contribution;
    bool is_last;                     // of the contribution
    GradientTarget target;            // of the whole contribution's values
    std::vector<Addition> additions;  // that its values complete, the highest first
  };
  class Follower;
  /// The contributions of the steps with one remainder by two.
  struct Set {
    std::vector<std::shared_ptr<AlignedBuffer>> sums;  // one for each maximal node
    std::vector<Contribution> contributions;
    std::vector<Leaf> leaves;
  };
  /// The same for all parts of a step.
  struct Inputs {
    Step step = 0;
    const PartStates* states = nullptr;
    float scale = 1;
    ContributionObserver* observer = nullptr;
  };

  Set& setOf(Step step) { return sets_[static_cast<std::size_t>(step % 2)]; }
  const Set& setOf(Step step) const { return sets_[static_cast<std::size_t>(step % 2)]; }
  void addLeaves(Set& set, TreeNode node, std::size_t depth, Leaf leaf);
  std::span<const Leaf> nextGroup(std::span<const Leaf> leaves) const;
  void computeGroup(const Inputs& inputs, std::span<const Leaf> leaves);
  PartGradient gradientOf(const Inputs& inputs, const Leaf& leaf);
  void finish(const Inputs& inputs, const Leaf& leaf, const PartGradient& computed, double square);
  void follow(const Inputs& inputs, const Leaf& leaf, std::size_t first, std::size_t count);
  void add(std::span<float> out, std::span<const float> other);
  void addState(const Leaf& leaf, const PartGradient& computed);
  bool measuresNorms() const { return plan_.squares > 0; }
  double squareOf(std::span<const float> values);

  Compute compute_;
  Prefetcher& prefetcher_;    // outlives us
  const ExchangePlan& plan_;  // outlives us
  trace::Recorder* recorder_ = nullptr;
  std::array<Set, 2> sets_;
  std::vector<AlignedBuffer> siblings_;  // by depth: right children, see addLeaves()
  std::vector<PartGradient> group_;      // parts that are computed together
  std::vector<Follower> followers_;
  std::vector<float> recurrent_;  // where the parts' steps leave their state, part after part
  std::vector<float> statistics_;
  std::vector<double> squares_;  // of the pieces of a range
};

}  // namespace sumac::worker
