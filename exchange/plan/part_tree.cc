#include "exchange/plan/part_tree.h"

#include <algorithm>
#include <bit>

#include "base/core/check.h"

namespace sumac {

namespace {

// The node's parent in the tree over [0, parts), or an empty node when it is the root or none.
TreeNode findParent(TreeNode node, int parts) {
  TreeNode at{0, parts};
  if (node.begin < 0 || node.begin >= node.end || !at.contains(node)) return {};
  while (at != node && !at.isLeaf()) {
    const auto [left, right] = children(at);
    if (left == node || right == node) return at;
    if (left.contains(node)) {
      at = left;
    } else if (right.contains(node)) {
      at = right;
    } else {
      return {};
    }
  }
  return {};
}

void collect(TreeNode node, TreeNode block, std::vector<TreeNode>& out) {
  if (block.contains(node)) {
    out.push_back(node);
    return;
  }
  if (node.isLeaf() || node.end <= block.begin || block.end <= node.begin) return;
  const auto [left, right] = children(node);
  collect(left, block, out);
  collect(right, block, out);
}

}  // namespace

std::ostream& operator<<(std::ostream& out, TreeNode node) {
  return out << '[' << node.begin << ',' << node.end << ')';
}

std::pair<TreeNode, TreeNode> children(TreeNode node) {
  SUMAC_CHECK(node.size() >= 2, node);
  const auto below = static_cast<unsigned>(node.size() - 1);
  const int middle = node.begin + static_cast<int>(std::bit_floor(below));
  return {{node.begin, middle}, {middle, node.end}};
}

bool isNode(TreeNode node, int parts) {
  if (parts < 1) return false;
  return node == TreeNode{0, parts} || findParent(node, parts).size() > 0;
}

TreeNode parent(TreeNode node, int parts) {
  const TreeNode found = findParent(node, parts);
  SUMAC_CHECK(found.size() > 0, node, parts);
  return found;
}

TreeNode sibling(TreeNode node, int parts) {
  const auto [left, right] = children(parent(node, parts));
  return left == node ? right : left;
}

std::vector<TreeNode> maximalNodes(TreeNode block, int parts) {
  SUMAC_CHECK(block.begin >= 0 && block.begin <= block.end && block.end <= parts, block, parts);
  std::vector<TreeNode> nodes;
  if (block.size() > 0) collect({0, parts}, block, nodes);
  return nodes;
}

int siblingsOf(TreeNode node, bool keeps_leaves) {
  if (node.isLeaf()) return 0;
  const auto [left, right] = children(node);
  const bool keeps_right = keeps_leaves || !right.isLeaf();
  return std::max(siblingsOf(left, keeps_leaves),
                  keeps_right ? 1 + siblingsOf(right, keeps_leaves) : 0);
}

TreeNode blockOf(int position, int workers, int parts) {
  SUMAC_CHECK(position >= 0 && position < workers, position, workers);
  const auto cut = [&](std::int64_t at) { return static_cast<int>(at * parts / workers); };
  return {cut(position), cut(position + 1)};
}

}  // namespace sumac
