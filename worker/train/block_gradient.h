#pragma once

#include <span>
#include <vector>

#include "common/base/step.h"
#include "common/kernels/kernels.h"
#include "common/plan/exchange_plan.h"
#include "common/plan/part_tree.h"
#include "worker/data/dataset.h"
#include "worker/data/sampler.h"
#include "worker/nn/engine.h"
#include "worker/session/session.h"

namespace sumac::worker {

/// The gradients of one worker's block of parts, each computed alone, summed along the fixed tree:
/// what the worker contributes to a step. Owned by the trainer's thread; all buffers are made when
/// the block is set.
class BlockGradient {
 public:
  /// The references outlive us.
  BlockGradient(Engine& engine, const Kernels& kernels, const Samples& samples, Sampler& sampler,
                const ExchangePlan& plan);

  /// The parts to compute from now on. Requires a block within [0, V).
  void setBlock(TreeNode block);

  /// One contribution for each maximal node of the block; the loss of the parts, scaled by 1 /
  /// batchSize, is its last value. The values live until the next call.
  std::vector<Contribution> compute(Step step, std::span<const float> weights, float scale);

 private:
  void sumNode(Step step, TreeNode node, std::span<const float> weights, float scale,
               std::size_t depth, std::span<float> out);
  void partGradient(Step step, int part, std::span<const float> weights, float scale,
                    std::span<float> out);

  Engine& engine_;            // outlives us
  const Kernels& kernels_;    // outlives us
  const Samples& samples_;    // outlives us
  Sampler& sampler_;          // outlives us
  const ExchangePlan& plan_;  // outlives us
  std::vector<TreeNode> nodes_;
  std::vector<std::vector<float>> sums_;      // one for each of nodes_
  std::vector<std::vector<float>> siblings_;  // one for each level of the tree, for the right child
  std::vector<float> inputs_;
  std::vector<std::int32_t> labels_;
};

}  // namespace sumac::worker
