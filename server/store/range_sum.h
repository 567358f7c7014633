#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/kernels/kernel_table.h"
#include "common/plan/part_tree.h"
#include "server/store/shared_values.h"
#include "server/store/sum_room.h"

namespace sumac::server {

/// Sums one range of the gradient over all parts of a mini-batch along a fixed tree, so that the
/// bits do not depend on the order and the senders of contributions
/// (docs/design/exchange.md#the-canonical-sum). Owned by one thread.
class RangeSum {
 public:
  /// Expects contributions that together cover the parts [0, parts), each of `size` values.
  /// `kernels` outlives us.
  RangeSum(const KernelTable& kernels, int parts, std::size_t size);

  /// Adds the sum over the parts of `node`; returns whether the range is complete now. A node that
  /// waits for its sibling is not copied: `values` is kept. A sum goes to `room`, from the value
  /// `place` on, unless one of its summands is a sum itself and gives its memory.
  ///
  /// Adding a node again is harmless: a node inside an earlier one is ignored, and a node that
  /// covers pending ones replaces them. Fails with kInvalid, leaving the sum unchanged, when the
  /// tree has no such node or `values` has another size.
  Result<bool> add(TreeNode node, SharedValues values, SumRoom& room, std::size_t place = 0);

  bool complete() const;

  /// The parts that have not come, from left to right.
  std::vector<TreeNode> missing() const;

  /// The sum over all parts, which nobody changes any more. Requires a complete range.
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
  std::size_t size_;
  std::vector<Pending> pending_;  // nodes that wait for their sibling
};

}  // namespace sumac::server
