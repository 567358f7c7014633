#include "server/store/range_sum.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "common/base/check.h"

namespace sumac::server {

RangeSum::RangeSum(const KernelTable& kernels, BufferPool& pool, int parts, std::size_t size)
    : kernels_(&kernels), pool_(&pool), parts_(parts), size_(size) {
  SUMAC_CHECK(parts >= 1, parts);
}

RangeSum::RangeSum(RangeSum&& other) noexcept
    : kernels_(other.kernels_),
      pool_(other.pool_),
      parts_(other.parts_),
      size_(other.size_),
      pending_(std::exchange(other.pending_, {})) {}

RangeSum::~RangeSum() {
  for (Pending& pending : pending_)
    pool_->giveBack(std::move(pending.values));
}

std::vector<RangeSum::Pending>::iterator RangeSum::find(TreeNode node) {
  return std::find_if(pending_.begin(), pending_.end(),
                      [&](const Pending& p) { return p.node == node; });
}

void RangeSum::dropInside(TreeNode node) {
  std::erase_if(pending_, [&](Pending& p) {
    if (!node.contains(p.node)) return false;
    pool_->giveBack(std::move(p.values));
    return true;
  });
}

Result<bool> RangeSum::add(TreeNode node, std::span<const float> values) {
  if (!isNode(node, parts_) || values.size() != size_) {
    std::ostringstream text;
    text << "no contribution of " << values.size() << " values for the parts " << node
         << " fits a range of " << size_ << " values over " << parts_ << " parts";
    return Error{ErrorCode::kInvalid, text.str()};
  }
  const bool known = std::any_of(pending_.begin(), pending_.end(),
                                 [&](const Pending& p) { return p.node.contains(node); });
  if (known) return complete();
  dropInside(node);
  // The frame itself is one of the two summands where its sibling waits already: it is copied only
  // when it has to wait.
  Pending sum{node, {}};
  while (sum.node != TreeNode{0, parts_}) {
    const TreeNode other = sibling(sum.node, parts_);
    const auto found = find(other);
    if (found == pending_.end()) break;
    const float* const mine = sum.values.empty() ? values.data() : sum.values.data();
    float* const out = found->values.data();
    // Left plus right, whichever came first.
    if (other < sum.node) {
      kernels_->add(out, out, mine, size_);
    } else {
      kernels_->add(out, mine, out, size_);
    }
    if (!sum.values.empty()) pool_->giveBack(std::move(sum.values));
    sum = {parent(sum.node, parts_), std::move(found->values)};
    pending_.erase(found);
  }
  if (sum.values.empty()) {
    sum.values = pool_->take(size_);
    std::copy(values.begin(), values.end(), sum.values.begin());
  }
  pending_.push_back(std::move(sum));
  return complete();
}

bool RangeSum::complete() const {
  return pending_.size() == 1 && pending_.front().node == TreeNode{0, parts_};
}

std::vector<TreeNode> RangeSum::missing() const {
  std::vector<TreeNode> nodes;
  for (const Pending& pending : pending_)
    nodes.push_back(pending.node);
  std::ranges::sort(nodes);
  nodes.push_back({parts_, parts_});
  std::vector<TreeNode> gaps;
  int end = 0;
  for (const TreeNode node : nodes) {
    if (node.begin > end) gaps.push_back({end, node.begin});
    end = node.end;
  }
  return gaps;
}

std::span<const float> RangeSum::total() const {
  SUMAC_CHECK(complete(), pending_.size());
  return pending_.front().values;
}

}  // namespace sumac::server
