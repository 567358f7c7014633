#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/kernels/kernel_table.h"
#include "common/plan/part_tree.h"
#include "server/store/buffer_pool.h"

namespace sumac::server {

/// Sums one range of the gradient over all parts of a mini-batch along a fixed tree, so that the
/// bits do not depend on the order and the senders of contributions
/// (docs/design/exchange.md#the-canonical-sum). Owned by one thread.
class RangeSum {
 public:
  /// Expects contributions that together cover the parts [0, parts), each of `size` values.
  /// `kernels` and `pool` outlive us.
  RangeSum(const KernelTable& kernels, BufferPool& pool, int parts, std::size_t size);
  ~RangeSum();
  RangeSum(RangeSum&& other) noexcept;
  RangeSum& operator=(RangeSum&&) = delete;
  RangeSum(const RangeSum&) = delete;
  RangeSum& operator=(const RangeSum&) = delete;

  /// Adds the sum over the parts of `node`; returns whether the range is complete now.
  ///
  /// Adding a node again is harmless: a node inside an earlier one is ignored, and a node that
  /// covers pending ones replaces them. Fails with kInvalid, leaving the sum unchanged, when the
  /// tree has no such node or `values` has another size.
  Result<bool> add(TreeNode node, std::span<const float> values);

  bool complete() const;

  /// The parts that have not come, from left to right.
  std::vector<TreeNode> missing() const;

  /// The sum over all parts. Requires a complete range.
  std::span<const float> total() const;

 private:
  struct Pending {
    TreeNode node;
    BufferPool::Buffer values;
  };

  std::vector<Pending>::iterator find(TreeNode node);
  void dropInside(TreeNode node);

  const KernelTable* kernels_;
  BufferPool* pool_;
  int parts_;
  std::size_t size_;
  std::vector<Pending> pending_;  // nodes that wait for their sibling
};

}  // namespace sumac::server
