#include "exchange/sums/range_sum.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/core/check.h"

namespace sumac {

RangeSum::RangeSum(const KernelTable& kernels, int parts, TreeNode block, std::size_t size)
    : kernels_(&kernels), parts_(parts), block_(block), size_(size) {
  const bool is_within = TreeNode{0, parts}.contains(block);
  SUMAC_CHECK(block.size() >= 1 && is_within, block, parts);
}

std::vector<RangeSum::Pending>::iterator RangeSum::find(TreeNode node) {
  return std::find_if(pending_.begin(), pending_.end(),
                      [&](const Pending& p) { return p.node == node; });
}

Result<bool> RangeSum::add(TreeNode node, SharedValues values, SumRoom& room, std::size_t place) {
  if (!isNode(node, parts_) || !block_.contains(node) || values.values.size() != size_) {
    std::ostringstream text;
    text << "no contribution of " << values.values.size() << " values for the parts " << node
         << " fits a range of " << size_ << " values over the parts " << block_ << " of " << parts_;
    return Error{ErrorCode::kInvalid, text.str()};
  }
  const bool known = std::any_of(pending_.begin(), pending_.end(),
                                 [&](const Pending& p) { return p.node.contains(node); });
  if (known) return complete();
  std::erase_if(pending_, [&](const Pending& p) { return node.contains(p.node); });
  Pending sum{node, std::move(values)};
  while (sum.node != TreeNode{0, parts_}) {
    const auto found = find(sibling(sum.node, parts_));
    if (found == pending_.end()) break;
    sum = added(*found, sum, room, place);
    pending_.erase(found);
  }
  pending_.push_back(std::move(sum));
  return complete();
}

/// Left plus right, whichever came first.
RangeSum::Pending RangeSum::added(const Pending& one, const Pending& other, SumRoom& room,
                                  std::size_t place) const {
  const bool is_left = one.node < other.node;
  const Pending& left = is_left ? one : other;
  const Pending& right = is_left ? other : one;
  float* out = left.ours != nullptr ? left.ours : right.ours;
  std::shared_ptr<const void> owner = (left.ours != nullptr ? left : right).values.owner;
  if (out == nullptr) {
    out = room.at(place);
    owner = room.buffer();
  }
  kernels_->add(out, left.values.values.data(), right.values.values.data(), size_);
  return {parent(left.node, parts_), {{out, size_}, std::move(owner)}, out};
}

bool RangeSum::complete() const {
  int parts = 0;
  for (const Pending& pending : pending_)
    parts += pending.node.size();
  return parts == block_.size();
}

std::vector<TreeNode> RangeSum::missing() const {
  std::vector<TreeNode> nodes;
  for (const Pending& pending : pending_)
    nodes.push_back(pending.node);
  std::ranges::sort(nodes);
  nodes.push_back({block_.end, block_.end});
  std::vector<TreeNode> gaps;
  int end = block_.begin;
  for (const TreeNode node : nodes) {
    if (node.begin > end) gaps.push_back({end, node.begin});
    end = node.end;
  }
  return gaps;
}

std::vector<NodeSum> RangeSum::nodes() const {
  SUMAC_CHECK(complete(), pending_.size());
  std::vector<NodeSum> sums;
  for (const Pending& pending : pending_)
    sums.push_back({pending.node, pending.values});
  std::ranges::sort(sums, {}, &NodeSum::node);
  return sums;
}

const SharedValues& RangeSum::total() const {
  const bool is_there = pending_.size() == 1 && pending_.front().node == TreeNode{0, parts_};
  SUMAC_CHECK(is_there, pending_.size());
  return pending_.front().values;
}

}  // namespace sumac
