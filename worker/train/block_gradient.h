#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "common/base/step.h"
#include "common/plan/exchange_plan.h"
#include "common/plan/part_tree.h"
#include "worker/data/prefetcher.h"
#include "worker/nn/engine.h"
#include "worker/session/session.h"
#include "worker/tensor/aligned_buffer.h"
#include "worker/train/compute.h"
#include "worker/train/part_states.h"

namespace sumac::worker {

/// The gradients of one worker's block of parts, each computed alone, summed along the fixed tree:
/// what the worker contributes to a step, without copies. Owned by the trainer's thread; all
/// buffers are made when the block is set.
class BlockGradient {
 public:
  /// The references outlive us.
  BlockGradient(const Compute& compute, Prefetcher& prefetcher, const ExchangePlan& plan);

  /// The parts to compute from now on, beginning with those of `next`. Requires a block within [0,
  /// V), and that nobody reads a contribution of before.
  void setBlock(TreeNode block, Step next);

  /// One contribution for each maximal node of the block, with the loss of its parts times
  /// `scale` and their state after the step.
  ///
  /// The contributions of a step live until this is called for the step after the next: the session
  /// sends them from here, again where it must, until the first sum of the next step has come
  /// (worker/session/contribution_exchange.h), and the trainer begins the step after the next only
  /// when all sums of the next have come.
  std::span<const Contribution> compute(Step step, std::span<const float> weights,
                                        const PartStates& states, float scale);

 private:
  /// What computing one part needs besides the part.
  struct Inputs {
    Step step = 0;
    const PartStates* states = nullptr;
    float scale = 1;
  };
  /// The contributions of the steps with one remainder by two.
  struct Set {
    std::vector<AlignedBuffer> sums;  // one for each maximal node
    std::vector<Contribution> contributions;
  };

  void sumNode(const Inputs& inputs, TreeNode node, std::size_t depth, std::span<float> out);
  void addNode(std::span<float> out, std::span<const float> other);
  void addPart(const Inputs& inputs, int part, Write write, std::span<float> out);
  void addState(int part, std::int64_t first_sample, const NextPartState& next,
                std::span<float> out);

  Compute compute_;
  Prefetcher& prefetcher_;    // outlives us
  const ExchangePlan& plan_;  // outlives us
  std::array<Set, 2> sets_;
  std::vector<AlignedBuffer> siblings_;  // by depth: right children of more than one part
  std::vector<float> recurrent_;         // where one part's step leaves its state
  std::vector<float> statistics_;
};

}  // namespace sumac::worker
