#include "server/sync/sum_store.h"

#include <algorithm>
#include <string>
#include <utility>

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

Result<std::vector<int>> SumStore::push(Push push, SumRoom& room, std::size_t place) {
  const Step step = push.step;
  const std::uint32_t range = push.range;
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
    Open fresh{RangeSum(*kernels_, plan_->parts, size), {}};
    auto added = fresh.sum.add(push.node, std::move(push.values), room, place);
    if (!added) return added.error();
    found = here.open.emplace(step, std::move(fresh)).first;
  } else if (found->second.sum.complete()) {
    return std::vector<int>{};
  } else {
    auto added = found->second.sum.add(push.node, std::move(push.values), room, place);
    if (!added) return added.error();
  }
  Open& open = found->second;
  const auto at = std::ranges::lower_bound(open.contributors, push.worker);
  if (at == open.contributors.end() || *at != push.worker)
    open.contributors.insert(at, push.worker);
  if (!open.sum.complete()) return std::vector<int>{};
  here.completed = step;
  here.open.erase(here.open.begin(), found);
  return open.contributors;
}

const SharedValues& SumStore::sum(Step step, std::uint32_t range) const {
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
