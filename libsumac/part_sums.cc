#include "libsumac/part_sums.h"

#include <algorithm>
#include <utility>

#include "base/core/check.h"

namespace sumac::program {

namespace {

/// Zeros are added, too: they make a 0 of a -0.
void addTo(std::span<float> out, const Piece& piece, const KernelTable& kernels) {
  if (piece.values != nullptr) {
    kernels.add(out.data(), out.data(), piece.values, out.size());
  } else {
    for (float& value : out)
      value += 0.0F;
  }
}

void copyTo(std::span<float> out, const Piece& piece) {
  if (piece.values != nullptr) {
    std::copy_n(piece.values, out.size(), out.data());
  } else {
    std::ranges::fill(out, 0.0F);
  }
}

}  // namespace

PartSums::PartSums(const ExchangePlan& plan, Kernels kernels)
    : plan_(plan), kernels_(std::move(kernels)) {
  SUMAC_CHECK(plan.values == plan.parameters + 1, plan.values, plan.parameters);
}

void PartSums::setBlock(TreeNode block) {
  block_ = block;
  const std::vector<TreeNode> nodes = maximalNodes(block, plan_.parts);
  const auto values = static_cast<std::size_t>(plan_.values);
  std::size_t depth = 0;
  for (const TreeNode node : nodes)
    depth = std::max(depth, static_cast<std::size_t>(siblingsOf(node)));
  siblings_.clear();
  while (siblings_.size() < depth)
    siblings_.push_back(std::make_shared<AlignedBuffer>(values));
  for (Set& set : sets_) {
    set = {};
    for (const TreeNode node : nodes) {
      const auto sum = std::make_shared<AlignedBuffer>(values);
      Leaf leaf;
      leaf.target = sum->values();
      addLeaves(set, node, 0, std::move(leaf));
      set.contributions.push_back({node, sum->values(), sum});
    }
  }
  leaves_ = leaf_ = sets_.front().leaves.size();
}

/// A right child that is one part is added as it comes; a larger one once its last part is there.
void PartSums::addLeaves(Set& set, TreeNode node, std::size_t depth, Leaf leaf) {
  if (node.isLeaf()) {
    leaf.part = node.begin;
    set.leaves.push_back(std::move(leaf));
    return;
  }
  const auto [left, right] = children(node);
  Leaf first = leaf;
  first.additions.clear();
  addLeaves(set, left, depth, std::move(first));
  if (right.isLeaf()) {
    leaf.adds = true;
    return addLeaves(set, right, depth, std::move(leaf));
  }
  const std::span<float> other = siblings_[depth]->values();
  leaf.additions.push_back({leaf.target, other});
  leaf.target = other;
  addLeaves(set, right, depth + 1, std::move(leaf));
}

void PartSums::begin(Step step) {
  step_ = step;
  leaf_ = 0;
}

int PartSums::next() const {
  return leaf_ < leaves_ ? set().leaves[leaf_].part : block_.end;
}

void PartSums::add(std::span<const Piece> pieces, float loss) {
  SUMAC_CHECK(leaf_ < leaves_, leaf_);
  const Leaf& leaf = set().leaves[leaf_++];
  std::span<float> rest = leaf.target;
  for (const Piece& piece : pieces) {
    SUMAC_CHECK(piece.count < rest.size(), piece.count, rest.size());
    const std::span<float> out = rest.first(piece.count);
    if (leaf.adds) {
      addTo(out, piece, *kernels_);
    } else {
      copyTo(out, piece);
    }
    rest = rest.subspan(piece.count);
  }
  SUMAC_CHECK(rest.size() == 1, rest.size());
  rest.front() = leaf.adds ? rest.front() + loss : loss;
  for (auto addition = leaf.additions.rbegin(); addition != leaf.additions.rend(); ++addition) {
    float* const sum = addition->sum.data();
    kernels_->add(sum, sum, addition->right.data(), addition->sum.size());
  }
}

}  // namespace sumac::program
