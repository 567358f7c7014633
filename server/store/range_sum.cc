#include "server/store/range_sum.h"

#include <algorithm>
#include <sstream>
#include <utility>

#include "common/base/check.h"

namespace sumac::server {

RangeSum::RangeSum(const KernelTable& kernels, int parts, std::size_t size)
    : kernels_(&kernels), parts_(parts), size_(size) {
  SUMAC_CHECK(parts >= 1, parts);
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
  std::erase_if(pending_, [&](const Pending& p) { return node.contains(p.node); });
  Pending sum{node, {values.begin(), values.end()}};
  while (sum.node != TreeNode{0, parts_}) {
    const TreeNode other = sibling(sum.node, parts_);
    const auto found = std::find_if(pending_.begin(), pending_.end(),
                                    [&](const Pending& p) { return p.node == other; });
    if (found == pending_.end()) break;
    // Left plus right, whichever came first.
    if (other < sum.node) {
      kernels_->add(sum.values.data(), found->values.data(), sum.values.data(), size_);
    } else {
      kernels_->add(sum.values.data(), sum.values.data(), found->values.data(), size_);
    }
    sum.node = parent(sum.node, parts_);
    pending_.erase(found);
  }
  pending_.push_back(std::move(sum));
  return complete();
}

bool RangeSum::complete() const {
  return pending_.size() == 1 && pending_.front().node == TreeNode{0, parts_};
}

std::span<const float> RangeSum::total() const {
  SUMAC_CHECK(complete(), pending_.size());
  return pending_.front().values;
}

std::vector<int> RangeSum::missing() const {
  std::vector<int> parts;
  for (int part = 0; part < parts_; ++part) {
    const bool taken = std::any_of(pending_.begin(), pending_.end(), [&](const Pending& p) {
      return p.node.contains({part, part + 1});
    });
    if (!taken) parts.push_back(part);
  }
  return parts;
}

}  // namespace sumac::server
