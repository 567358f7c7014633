#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/core/step.h"
#include "exchange/member/contribution.h"
#include "exchange/plan/exchange_plan.h"
#include "exchange/plan/part_tree.h"
#include "kernels/aligned_buffer.h"
#include "kernels/kernels.h"

namespace sumac::program {

/// Values of a part that lie together.
struct Piece {
  const float* values = nullptr;  // null: zeros
  std::size_t count = 0;
};

/// What a program computes of its parts, summed along the fixed tree: what its worker contributes
/// to a step, as BlockGradient is for the engine. The order and the bits of each addition are those
/// of the tree, whoever computes how many parts. Owned by the trainer's thread; adding allocates
/// nothing.
class PartSums {
 public:
  /// `plan` outlives us; it has no part state and no squares.
  PartSums(const ExchangePlan& plan, Kernels kernels);

  /// The parts to add from now on, in new memory: contributions of the block before may still be
  /// read. Requires a block within [0, V).
  void setBlock(TreeNode block);

  /// Requires that nobody reads what was added for step - 2 any more.
  void begin(Step step);
  /// The next part to add; the block's end once all are added.
  int next() const;
  bool isWhole() const { return leaf_ == leaves_ || leaves_ == 0; }
  /// Of the part next(): one value less than the plan has, one piece after the other, and the loss.
  /// Copied. Requires a part.
  void add(std::span<const Piece> pieces, float loss);
  /// One for each maximal node of the block. Requires isWhole(). They stay as they are until
  /// begin() of the step after the next.
  std::span<const Contribution> contributions() const { return set().contributions; }

 private:
  /// An addition of a right child, once its values are there, to the left one's.
  struct Addition {
    std::span<float> sum;
    std::span<const float> right;
  };
  struct Leaf {
    int part = 0;
    bool adds = false;  // to what is there already, its left sibling
    std::span<float> target;
    std::vector<Addition> additions;  // that its values complete, the highest first
  };
  struct Set {
    std::vector<Contribution> contributions;
    std::vector<Leaf> leaves;
  };

  Set& set() { return sets_[static_cast<std::size_t>(step_ % 2)]; }
  const Set& set() const { return sets_[static_cast<std::size_t>(step_ % 2)]; }
  void addLeaves(Set& set, TreeNode node, std::size_t depth, Leaf leaf);

  const ExchangePlan& plan_;  // outlives us
  Kernels kernels_;
  TreeNode block_;
  std::array<Set, 2> sets_;
  std::vector<std::shared_ptr<AlignedBuffer>> siblings_;  // by depth
  Step step_ = 0;
  std::size_t leaf_ = 0;
  std::size_t leaves_ = 0;
};

}  // namespace sumac::program
