#include "server/sync/sum_store.h"

#include <string>

#include "common/base/check.h"

namespace sumac::server {

SumStore::SumStore(const ExchangePlan& plan, const KernelTable& kernels, Step start_step)
    : plan_(&plan), kernels_(&kernels), start_step_(start_step), ranges_(plan.ranges.size()) {
  for (PerRange& range : ranges_)
    range.completed = start_step;
}

Result<std::vector<int>> SumStore::push(int worker, Step step, std::uint32_t range, TreeNode node,
                                        std::span<const float> values) {
  SUMAC_CHECK(range < ranges_.size(), range);
  PerRange& here = ranges_[range];
  if (step <= start_step_ || step > here.completed + 1) {
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
  } else if (Result<bool> added = found->second.sum.add(node, values); !added) {
    return added.error();
  }
  Open& open = found->second;
  open.answered.try_emplace(worker, false);
  std::vector<int> answer;
  if (!open.sum.complete()) return answer;
  here.completed = step;
  here.open.erase(here.open.begin(), found);
  for (auto& [contributor, answered] : open.answered) {
    if (!answered) answer.push_back(contributor);
    answered = true;
  }
  return answer;
}

std::span<const float> SumStore::sum(Step step, std::uint32_t range) const {
  return ranges_.at(range).open.at(step).sum.total();
}

void SumStore::clear() {
  for (PerRange& range : ranges_) {
    range.open.clear();
  }
}

}  // namespace sumac::server
