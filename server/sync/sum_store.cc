#include "server/sync/sum_store.h"

#include <algorithm>
#include <string>

#include "common/base/check.h"

namespace sumac::server {

SumStore::SumStore(const ExchangePlan& plan, const KernelTable& kernels, Step start_step, int ahead)
    : plan_(&plan),
      kernels_(&kernels),
      start_step_(start_step),
      ahead_(ahead),
      ranges_(plan.ranges.size()) {
  for (PerRange& range : ranges_)
    range.completed = start_step;
}

Result<std::vector<int>> SumStore::push(int worker, Step step, std::uint32_t range, TreeNode node,
                                        std::span<const float> values) {
  SUMAC_CHECK(range < ranges_.size(), range);
  PerRange& here = ranges_[range];
  if (step <= start_step_ || step > here.completed + ahead_) {
    return Error{ErrorCode::kInvalid, "step " + std::to_string(step) + " of range " +
                                          std::to_string(range) + " cannot be open"};
  }
  if (step < here.completed) return std::vector<int>{};
  const auto size = static_cast<std::size_t>(plan_->ranges[range].count);
  auto found = here.open.find(step);
  if (found == here.open.end()) {
    Open fresh{RangeSum(*kernels_, pool_, plan_->parts, size), {}};
    if (Result<bool> added = fresh.sum.add(node, values); !added) return added.error();
    found = here.open.emplace(step, std::move(fresh)).first;
  } else if (found->second.sum.complete()) {
    return std::vector<int>{};
  } else if (Result<bool> added = found->second.sum.add(node, values); !added) {
    return added.error();
  }
  Open& open = found->second;
  const auto place = std::ranges::lower_bound(open.contributors, worker);
  if (place == open.contributors.end() || *place != worker) open.contributors.insert(place, worker);
  if (!open.sum.complete()) return std::vector<int>{};
  here.completed = step;
  here.open.erase(here.open.begin(), found);
  return open.contributors;
}

std::span<const float> SumStore::sum(Step step, std::uint32_t range) const {
  return ranges_.at(range).open.at(step).sum.total();
}

std::vector<TreeNode> SumStore::missing(Step step, std::uint32_t range) const {
  const PerRange& here = ranges_.at(range);
  const auto found = here.open.find(step);
  if (found != here.open.end()) return found->second.sum.missing();
  if (step <= start_step_ || step < here.completed) return {};
  return {{0, plan_->parts}};
}

void SumStore::clear() {
  for (PerRange& range : ranges_) {
    range.open.clear();
  }
}

}  // namespace sumac::server
