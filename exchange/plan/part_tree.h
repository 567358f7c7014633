#pragma once

#include <compare>
#include <cstdint>
#include <ostream>
#include <utility>
#include <vector>

namespace sumac {

/// The parts [begin, end): a candidate for a node of the fixed binary tree over all V parts, along
/// which every sum is formed. A node [a, b) of more than one part splits at a + the largest power
/// of two below b - a.
struct TreeNode {
  int begin = 0;
  int end = 0;

  auto operator<=>(const TreeNode&) const = default;
  int size() const { return end - begin; }
  bool isLeaf() const { return size() == 1; }
  bool contains(TreeNode other) const { return begin <= other.begin && other.end <= end; }
};

std::ostream& operator<<(std::ostream& out, TreeNode node);

/// The two children. Requires at least two parts.
std::pair<TreeNode, TreeNode> children(TreeNode node);

/// Whether the tree over [0, parts) has this node.
bool isNode(TreeNode node, int parts);

/// The other child of the parent. Requires a node of the tree that is not its root.
TreeNode sibling(TreeNode node, int parts);
TreeNode parent(TreeNode node, int parts);

/// The fewest nodes of the tree over [0, parts) that cover `block`, from left to right: what a
/// worker sends. Requires block within [0, parts).
std::vector<TreeNode> maximalNodes(TreeNode block, int parts);

/// How many sums of right children are kept at once, one under the other, while the sum of `node`
/// is formed from left to right. Right children that are leaves need none, unless they are kept
/// apart.
int siblingsOf(TreeNode node, bool keeps_leaves = false);

/// The parts of the worker at `position` of `workers`: floor(wV/N) to floor((w+1)V/N).
TreeNode blockOf(int position, int workers, int parts);

}  // namespace sumac
