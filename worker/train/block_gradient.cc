#include "worker/train/block_gradient.h"

#include <algorithm>
#include <cstddef>

#include "common/base/check.h"
#include "worker/train/batch.h"

namespace sumac::worker {
namespace {

/// How many buffers sumNode() needs for right children, one under the other.
std::size_t siblingsOf(TreeNode node) {
  if (node.isLeaf()) return 0;
  const auto [left, right] = children(node);
  return std::max(siblingsOf(left), right.isLeaf() ? 0 : 1 + siblingsOf(right));
}

}  // namespace

BlockGradient::BlockGradient(const Compute& compute, Prefetcher& prefetcher,
                             const ExchangePlan& plan)
    : compute_(compute),
      prefetcher_(prefetcher),
      plan_(plan),
      recurrent_(static_cast<std::size_t>(plan.state.recurrent)),
      statistics_(static_cast<std::size_t>(plan.state.statistics / plan.parts)) {}

void BlockGradient::setBlock(TreeNode block, Step next) {
  prefetcher_.setBlock(block, next);
  const std::vector<TreeNode> nodes = maximalNodes(block, plan_.parts);
  const auto values = static_cast<std::size_t>(plan_.values);
  for (Set& set : sets_) {
    set.sums.clear();
    set.contributions.clear();
    for (const TreeNode node : nodes) {
      set.sums.emplace_back(values);
      set.contributions.push_back({node, set.sums.back().values()});
    }
  }
  std::size_t depth = 0;
  for (const TreeNode node : nodes)
    depth = std::max(depth, siblingsOf(node));
  siblings_.clear();
  while (siblings_.size() < depth)
    siblings_.emplace_back(values);
}

std::span<const Contribution> BlockGradient::compute(Step step, std::span<const float> weights,
                                                     const PartStates& states, float scale) {
  Set& set = sets_[static_cast<std::size_t>(step % 2)];
  SUMAC_CHECK(!set.sums.empty());
  compute_.engine.setWeights(weights);
  const Inputs inputs{step, &states, scale};
  for (std::size_t i = 0; i < set.sums.size(); ++i)
    sumNode(inputs, set.contributions[i].node, 0, set.sums[i].values());
  return set.contributions;
}

// A right child that is one part is added where it is computed: left + right in one addition for
// each value, as from a buffer of its own.
void BlockGradient::sumNode(const Inputs& inputs, TreeNode node, std::size_t depth,
                            std::span<float> out) {
  if (node.isLeaf()) {
    addPart(inputs, node.begin, Write::kReplace, out);
    return;
  }
  const auto [left, right] = children(node);
  sumNode(inputs, left, depth, out);
  if (right.isLeaf()) {
    addPart(inputs, right.begin, Write::kAdd, out);
    return;
  }
  const std::span<float> other = siblings_[depth].values();
  sumNode(inputs, right, depth + 1, other);
  addNode(out, other);
}

void BlockGradient::addNode(std::span<float> out, std::span<const float> other) {
  constexpr std::size_t kTask = 1U << 16U;  // values: large enough to be worth waking a thread
  compute_.pool.run((out.size() + kTask - 1) / kTask, [&](std::size_t task) {
    const std::size_t first = task * kTask;
    const std::size_t count = std::min(kTask, out.size() - first);
    compute_.kernels->add(&out[first], &out[first], &other[first], count);
  });
}

void BlockGradient::addPart(const Inputs& inputs, int part, Write write, std::span<float> out) {
  const Batch batch = batchOf(prefetcher_.part(inputs.step, part));
  const std::int64_t first_sample = prefetcher_.batches().firstSample(part);
  const Part computed{.batch = batch,
                      .state = inputs.states->of(part, first_sample, batch.count),
                      .step = inputs.step,
                      .first_sample = first_sample};
  const auto parameters = static_cast<std::size_t>(plan_.parameters);
  const NextPartState next{
      .recurrent = std::span(recurrent_).first(computed.state.recurrent.size()),
      .statistics = statistics_};
  const float loss =
      compute_.engine.gradient(computed, inputs.scale, out.first(parameters), write, next);
  if (write == Write::kReplace) std::ranges::fill(out.subspan(parameters), 0.0F);
  out[parameters] += loss;
  addState(part, first_sample, next, out);
}

// Added to zeros, even where that changes nothing but the sign of a zero: what comes out of the sum
// over all parts must not depend on how many additions that took.
void BlockGradient::addState(int part, std::int64_t first_sample, const NextPartState& next,
                             std::span<float> out) {
  const auto batch_size = prefetcher_.batches().firstSample(plan_.parts);
  const auto per_sample = plan_.state.recurrent / batch_size;
  const auto add = [&](std::int64_t at, std::span<const float> values) {
    float* const to = out.data() + at;
    compute_.kernels->add(to, to, values.data(), values.size());
  };
  add(plan_.recurrentAt() + first_sample * per_sample, next.recurrent);
  add(plan_.statisticsAt() + part * std::ssize(next.statistics), next.statistics);
}

}  // namespace sumac::worker
