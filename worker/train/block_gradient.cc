#include "worker/train/block_gradient.h"

#include <algorithm>
#include <cstddef>

#include "common/base/check.h"

namespace sumac::worker {

BlockGradient::BlockGradient(Engine& engine, const Kernels& kernels, const Samples& samples,
                             Sampler& sampler, const ExchangePlan& plan)
    : engine_(engine),
      kernels_(kernels),
      samples_(samples),
      sampler_(sampler),
      plan_(plan),
      inputs_(static_cast<std::size_t>(sampler.largestPart() * model::count(samples.shape))),
      labels_(static_cast<std::size_t>(sampler.largestPart())) {}

void BlockGradient::setBlock(TreeNode block) {
  nodes_ = maximalNodes(block, plan_.parts);
  const auto values = static_cast<std::size_t>(plan_.values);
  sums_.assign(nodes_.size(), std::vector<float>(values));
  std::size_t levels = 0;
  for (const TreeNode node : nodes_) {
    std::size_t depth = 0;
    for (int size = 1; size < node.size(); size *= 2)
      ++depth;
    levels = std::max(levels, depth);
  }
  siblings_.assign(levels, std::vector<float>(values));
}

std::vector<Contribution> BlockGradient::compute(Step step, std::span<const float> weights,
                                                 float scale) {
  SUMAC_CHECK(!nodes_.empty());
  std::vector<Contribution> contributions;
  contributions.reserve(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    sumNode(step, nodes_[i], weights, scale, 0, sums_[i]);
    contributions.push_back({nodes_[i], sums_[i]});
  }
  return contributions;
}

void BlockGradient::sumNode(Step step, TreeNode node, std::span<const float> weights, float scale,
                            std::size_t depth, std::span<float> out) {
  if (node.isLeaf()) {
    partGradient(step, node.begin, weights, scale, out);
    return;
  }
  const auto [left, right] = children(node);
  const std::span<float> other(siblings_[depth]);
  sumNode(step, left, weights, scale, depth + 1, out);
  sumNode(step, right, weights, scale, depth + 1, other);
  kernels_->add(out.data(), out.data(), other.data(), out.size());
}

void BlockGradient::partGradient(Step step, int part, std::span<const float> weights, float scale,
                                 std::span<float> out) {
  const auto indices = sampler_.indices(step, part);
  const auto values = indices.size() * static_cast<std::size_t>(model::count(samples_.shape));
  const auto inputs = std::span<float>(inputs_).first(values);
  const auto labels = std::span<std::int32_t>(labels_).first(indices.size());
  gather(samples_, indices, inputs, labels);
  const auto parameters = static_cast<std::size_t>(plan_.parameters);
  const Batch batch{std::ssize(labels), inputs, {}, labels};
  out[parameters] = engine_.gradient(weights, {.batch = batch, .state = {}, .step = step}, scale,
                                     out.first(parameters), Write::kReplace, {});
}

}  // namespace sumac::worker
