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
      const auto sum = std::make_shared<AlignedBuffer>(values);
      set.sums.push_back(sum);
      set.contributions.push_back({node, sum->values(), sum});
    }
  }
  std::size_t depth = 0;
  for (const TreeNode node : nodes)
    depth = std::max(depth, siblingsOf(node));
  siblings_.clear();
  while (siblings_.size() < depth)
    siblings_.emplace_back(values);
}

/// The gradient of one part, until it is in the sum of all its parents.
class BlockGradient::Follower final : public GradientObserver {
 public:
  Follower(BlockGradient& block, const Inputs& inputs, const Parent* parent)
      : block_(block), inputs_(inputs), parent_(parent) {}

  void onFinal(std::size_t first, std::size_t count) override {
    block_.follow(inputs_, parent_, first, count);
  }

 private:
  BlockGradient& block_;  // these outlive us
  const Inputs& inputs_;
  const Parent* parent_;
};

std::span<const Contribution> BlockGradient::compute(Step step, std::span<const float> weights,
                                                     const PartStates& states, float scale,
                                                     const StepHooks& hooks) {
  Set& set = setOf(step);
  SUMAC_CHECK(!set.sums.empty());
  compute_.engine.setWeights(weights, hooks.gate);
  const Parent announced;
  for (std::size_t i = 0; i < set.sums.size(); ++i) {
    const Inputs inputs{step, &states, scale, hooks.observer, i};
    sumNode(inputs, set.contributions[i].node, 0, set.sums[i]->values(),
            hooks.observer == nullptr ? nullptr : &announced);
  }
  return set.contributions;
}

// A right child that is one part is added where it is computed: left + right in one addition for
// each value, as from a buffer of its own. A larger one is added tensor by tensor, as soon as its
// last part has computed one, which is then still in the cache.
void BlockGradient::sumNode(const Inputs& inputs, TreeNode node, std::size_t depth,
                            std::span<float> out, const Parent* parent) {
  if (node.isLeaf()) {
    addPart(inputs, node.begin, {.values = out, .write = Write::kReplace}, parent);
    return;
  }
  const auto [left, right] = children(node);
  sumNode(inputs, left, depth, out, nullptr);
  if (right.isLeaf()) {
    addPart(inputs, right.begin, {.values = out, .write = Write::kAdd}, parent);
    return;
  }
  const std::span<float> other = siblings_[depth].values();
  const Parent sum{.sum = out, .right = other, .next = parent};
  sumNode(inputs, right, depth + 1, other, &sum);
}

void BlockGradient::follow(const Inputs& inputs, const Parent* parent, std::size_t first,
                           std::size_t count) {
  for (; parent != nullptr; parent = parent->next) {
    if (parent->sum.empty()) return inputs.observer->onFinal(inputs.contribution, first, count);
    add(parent->sum.subspan(first, count), parent->right.subspan(first, count));
  }
}

void BlockGradient::add(std::span<float> out, std::span<const float> other) {
  constexpr std::size_t kTask = 1U << 16U;  // values: large enough to be worth waking a thread
  compute_.pool.run((out.size() + kTask - 1) / kTask, [&](std::size_t task) {
    const std::size_t first = task * kTask;
    const std::size_t count = std::min(kTask, out.size() - first);
    compute_.kernels->add(&out[first], &out[first], &other[first], count);
  });
}

void BlockGradient::addPart(const Inputs& inputs, int part, const GradientTarget& target,
                            const Parent* parent) {
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
  Follower follower(*this, inputs, parent);
  const std::span<float> out = target.values;
  const float loss = compute_.engine.gradient(computed, inputs.scale,
                                              {.values = out.first(parameters),
                                               .write = target.write,
                                               .observer = parent == nullptr ? nullptr : &follower},
                                              next);
  if (target.write == Write::kReplace) std::ranges::fill(out.subspan(parameters), 0.0F);
  out[parameters] += loss;
  addState(part, first_sample, next, out);
  follow(inputs, parent, parameters, out.size() - parameters);
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
