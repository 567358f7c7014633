#include "worker/train/block_gradient.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "base/core/check.h"
#include "worker/train/batch.h"
#include "worker/train/pass_trace.h"

namespace sumac::worker {
namespace {

constexpr std::size_t kTask = 1U << 16U;  // values: large enough to be worth waking a thread

std::size_t tasksOf(std::size_t values) {
  return (values + kTask - 1) / kTask;
}

}  // namespace

/// The gradient of one part, until it is in all sums that it completes.
class BlockGradient::Follower final : public GradientObserver {
 public:
  Follower(BlockGradient& block, const Inputs& inputs, const Leaf& leaf)
      : block_(&block), inputs_(&inputs), leaf_(&leaf) {}

  void onFinal(std::size_t first, std::size_t count) override {
    if (block_->measuresNorms())
      square_ += block_->squareOf(leaf_->target.values.subspan(first, count));
    block_->follow(*inputs_, *leaf_, first, count);
  }

  /// Of the gradient's norm; 0 if norms are not measured.
  double square() const { return square_; }

 private:
  BlockGradient* block_;  // these outlive us
  const Inputs* inputs_;
  const Leaf* leaf_;
  double square_ = 0;
};

BlockGradient::BlockGradient(const Compute& compute, Prefetcher& prefetcher,
                             const ExchangePlan& plan)
    : compute_(compute),
      prefetcher_(prefetcher),
      plan_(plan),
      recurrent_(static_cast<std::size_t>(plan.state.recurrent)),
      statistics_(static_cast<std::size_t>(plan.state.statistics)),
      squares_(tasksOf(static_cast<std::size_t>(plan.parameters))) {}

BlockGradient::~BlockGradient() = default;

void BlockGradient::setBlock(TreeNode block, Step next) {
  prefetcher_.setBlock(block, next);
  const std::vector<TreeNode> nodes = maximalNodes(block, plan_.parts);
  const auto together = static_cast<std::size_t>(compute_.engine.maxParts());
  group_.reserve(together);
  followers_.reserve(together);
  const auto values = static_cast<std::size_t>(plan_.values);
  std::size_t depth = 0;
  for (const TreeNode node : nodes)
    depth = std::max(depth, static_cast<std::size_t>(siblingsOf(node, measuresNorms())));
  siblings_.clear();
  while (siblings_.size() < depth)
    siblings_.emplace_back(values);
  for (Set& set : sets_) {
    set = {};
    for (const TreeNode node : nodes) {
      const auto sum = std::make_shared<AlignedBuffer>(values);
      addLeaves(set, node, 0,
                {.part = 0,
                 .contribution = set.contributions.size(),
                 .is_last = false,
                 .target = {.values = sum->values()},
                 .additions = {}});
      set.leaves.back().is_last = true;
      set.sums.push_back(sum);
      set.contributions.push_back({node, sum->values(), sum});
    }
  }
}

// A right child that is one part is added where it is computed: left + right in one addition for
// each value, as from a buffer of its own. A larger one is added piece by piece, as soon as its
// last part has computed one, which is then still in the cache. Where norms are measured, so is one
// part, as its own gradient would not exist otherwise.
void BlockGradient::addLeaves(Set& set, TreeNode node, std::size_t depth, Leaf leaf) {
  if (node.isLeaf()) {
    leaf.part = node.begin;
    set.leaves.push_back(std::move(leaf));
    return;
  }
  const auto [left, right] = children(node);
  Leaf first = leaf;
  first.additions.clear();
  addLeaves(set, left, depth, std::move(first));
  if (right.isLeaf() && !measuresNorms()) {
    leaf.target.write = Write::kAdd;
    return addLeaves(set, right, depth, std::move(leaf));
  }
  const std::span<float> other = siblings_[depth].values();
  leaf.additions.push_back({.sum = leaf.target.values, .right = other});
  leaf.target.values = other;
  addLeaves(set, right, depth + 1, std::move(leaf));
}

std::span<const Contribution> BlockGradient::compute(Step step, std::span<const float> weights,
                                                     const PartStates& states, float scale,
                                                     const StepHooks& hooks) {
  Set& set = setOf(step);
  SUMAC_CHECK(!set.sums.empty());
  compute_.engine.setWeights(weights, hooks.gate);
  const Inputs inputs{step, &states, scale, hooks.observer};
  for (std::span<const Leaf> left = set.leaves; !left.empty();) {
    const std::span<const Leaf> group = nextGroup(left);
    computeGroup(inputs, group);
    left = left.subspan(group.size());
  }
  return set.contributions;
}

/// Parts of one contribution, so that one is whole before the next begins.
std::span<const BlockGradient::Leaf> BlockGradient::nextGroup(std::span<const Leaf> leaves) const {
  const auto most = static_cast<std::size_t>(compute_.engine.maxParts());
  std::size_t count = 1;
  while (count < std::min(most, leaves.size()) && !leaves[count - 1].is_last)
    ++count;
  return leaves.first(count);
}

void BlockGradient::computeGroup(const Inputs& inputs, std::span<const Leaf> leaves) {
  group_.clear();
  followers_.clear();
  for (const Leaf& leaf : leaves) {
    group_.push_back(gradientOf(inputs, leaf));
    const bool is_announced = leaf.is_last && inputs.observer != nullptr;
    followers_.emplace_back(*this, inputs, leaf);
    if (leaf.additions.empty() && !is_announced && !measuresNorms()) continue;
    group_.back().target.observer = &followers_.back();
  }
  PassTrace passes(recorder_, inputs.step, leaves.front().part);
  group_.front().target.passes = passes.observer();
  compute_.engine.gradients(group_, inputs.scale);
  passes.end();
  compute_.countWork();
  for (std::size_t i = 0; i < leaves.size(); ++i)
    finish(inputs, leaves[i], group_[i], followers_[i].square());
}

PartGradient BlockGradient::gradientOf(const Inputs& inputs, const Leaf& leaf) {
  const Batch batch = batchOf(prefetcher_.part(inputs.step, leaf.part));
  const auto& batches = prefetcher_.batches();
  const std::int64_t first_sample = batches.firstSample(leaf.part);
  const PartState state = inputs.states->of(leaf.part, first_sample, batch.count);
  const std::size_t per_sample =
      recurrent_.size() / static_cast<std::size_t>(batches.firstSample(plan_.parts));
  const std::size_t statistics = state.statistics.size();
  return {
      .part = {.batch = batch, .state = state, .step = inputs.step, .first_sample = first_sample},
      .target = {.values = leaf.target.values.first(static_cast<std::size_t>(plan_.parameters)),
                 .write = leaf.target.write},
      .next = {.recurrent = std::span(recurrent_)
                                .subspan(static_cast<std::size_t>(first_sample) * per_sample,
                                         state.recurrent.size()),
               .statistics =
                   std::span(statistics_)
                       .subspan(static_cast<std::size_t>(leaf.part) * statistics, statistics)}};
}

/// What follows the gradient in a contribution: the loss, the part state and the squared norm.
void BlockGradient::finish(const Inputs& inputs, const Leaf& leaf, const PartGradient& computed,
                           double square) {
  const auto parameters = static_cast<std::size_t>(plan_.parameters);
  const std::span<float> out = leaf.target.values;
  if (leaf.target.write == Write::kReplace) std::ranges::fill(out.subspan(parameters), 0.0F);
  out[parameters] += computed.loss;
  addState(leaf, computed);
  if (measuresNorms())
    out[static_cast<std::size_t>(plan_.squaresAt())] += static_cast<float>(square);
  follow(inputs, leaf, parameters, out.size() - parameters);
}

void BlockGradient::follow(const Inputs& inputs, const Leaf& leaf, std::size_t first,
                           std::size_t count) {
  for (auto addition = leaf.additions.rbegin(); addition != leaf.additions.rend(); ++addition)
    add(addition->sum.subspan(first, count), addition->right.subspan(first, count));
  if (leaf.is_last && inputs.observer != nullptr)
    inputs.observer->onFinal(leaf.contribution, first, count);
}

void BlockGradient::add(std::span<float> out, std::span<const float> other) {
  compute_.pool.run(tasksOf(out.size()), [&](std::size_t task) {
    const std::size_t first = task * kTask;
    const std::size_t count = std::min(kTask, out.size() - first);
    compute_.kernels->add(&out[first], &out[first], &other[first], count);
  });
}

/// The same bits for any number of threads.
double BlockGradient::squareOf(std::span<const float> values) {
  const std::size_t tasks = tasksOf(values.size());
  compute_.pool.run(tasks, [&](std::size_t task) {
    const std::size_t first = task * kTask;
    squares_[task] =
        compute_.kernels->sumOfSquares(&values[first], std::min(kTask, values.size() - first));
  });
  return std::accumulate(squares_.begin(), squares_.begin() + static_cast<std::ptrdiff_t>(tasks),
                         0.0);
}

// Added to zeros, even where that changes nothing but the sign of a zero: what comes out of the sum
// over all parts must not depend on how many additions that took.
void BlockGradient::addState(const Leaf& leaf, const PartGradient& computed) {
  const auto batch_size = prefetcher_.batches().firstSample(plan_.parts);
  const auto per_sample = plan_.state.recurrent / batch_size;
  const auto add = [&](std::int64_t at, std::span<const float> values) {
    float* const to = leaf.target.values.data() + at;
    compute_.kernels->add(to, to, values.data(), values.size());
  };
  const NextPartState& next = computed.next;
  add(plan_.recurrentAt() + computed.part.first_sample * per_sample, next.recurrent);
  add(plan_.statisticsAt() + leaf.part * std::ssize(next.statistics), next.statistics);
}

}  // namespace sumac::worker
