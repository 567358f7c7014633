#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/core/result.h"
#include "exchange/plan/part_tree.h"
#include "exchange/sums/buffer_pool.h"
#include "kernels/kernel_table.h"

namespace sumac {

/// Values that several may refer to: of a message that came, or of a sum. A value type.
struct SharedValues {
  std::span<const float> values;
  std::shared_ptr<const void> owner;  // keeps them where they are, and as they are

  SharedValues part(std::size_t first, std::size_t count) const {
    return {values.subspan(first, count), owner};
  }
  /// Whether `next` lies behind them, in the same memory.
  bool isFollowedBy(const SharedValues& next) const {
    return owner == next.owner && values.data() + values.size() == next.values.data();
  }
  /// Takes `next`, too. Requires isFollowedBy().
  void extendBy(const SharedValues& next) {
    values = {values.data(), values.size() + next.values.size()};
  }
};

/// A node of the tree and its sum.
struct NodeSum {
  TreeNode node;
  SharedValues values;
};

/// Sums one range of the gradient over parts of a mini-batch along a fixed tree, so that the bits
/// do not depend on the order and the senders of contributions
/// (docs/design/exchange.md#the-canonical-sum). Owned by one thread.
class RangeSum {
 public:
  /// Expects contributions that together cover `block`, the parts that come together here, each of
  /// `size` values. The tree is that over [0, parts). `kernels` outlives us.
  RangeSum(const KernelTable& kernels, int parts, TreeNode block, std::size_t size);
  /// All parts come together here.
  RangeSum(const KernelTable& kernels, int parts, std::size_t size)
      : RangeSum(kernels, parts, {0, parts}, size) {}

  /// Adds the sum over the parts of `node`; returns whether the block is complete now. A node that
  /// waits for its sibling is not copied: `values` is kept. A sum goes to `room`, from the value
  /// `place` on, unless one of its summands is a sum itself and gives its memory.
  ///
  /// Adding a node again is harmless: a node inside an earlier one is ignored, and a node that
  /// covers pending ones replaces them. Fails with kInvalid, leaving the sum unchanged, when the
  /// block has no such node or `values` has another size.
  Result<bool> add(TreeNode node, SharedValues values, SumRoom& room, std::size_t place = 0);

  bool complete() const;

  /// The parts of the block that have not come, from left to right.
  std::vector<TreeNode> missing() const;

  /// The sums over the maximal nodes of the block, from left to right, which nobody changes any
  /// more. Requires a complete block.
  std::vector<NodeSum> nodes() const;
  /// The sum over all parts. Requires that these are complete.
  const SharedValues& total() const;

 private:
  struct Pending {
    TreeNode node;
    SharedValues values;
    float* ours = nullptr;  // the same values, where they are a sum that only we refer to
  };

  std::vector<Pending>::iterator find(TreeNode node);
  Pending added(const Pending& one, const Pending& other, SumRoom& room, std::size_t place) const;

  const KernelTable* kernels_;
  int parts_;
  TreeNode block_;
  std::size_t size_;
  std::vector<Pending> pending_;  // nodes that wait for their sibling
};

}  // namespace sumac
