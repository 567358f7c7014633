#include "common/membership/shard_map.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace sumac {

ShardMap ShardMap::shareOut(const ExchangePlan& plan, Role role, const std::vector<int>& indices) {
  SUMAC_CHECK(!indices.empty());
  const auto owners = static_cast<std::int64_t>(indices.size());
  ShardMap map;
  map.role_ = role;
  for (const Range& range : plan.ranges) {
    // Doubled, so that a range's middle is a whole number.
    const std::int64_t middle = 2 * range.first + range.count;
    map.owners_.push_back(indices[static_cast<std::size_t>(middle * owners / (2 * plan.values))]);
  }
  return map;
}

ShardMap ShardMap::direct(std::size_t ranges) {
  ShardMap map;
  map.role_ = Role::kWorker;
  map.is_direct_ = true;
  map.owners_.assign(ranges, 0);
  return map;
}

ShardMap ShardMap::ofOwners(Role role, std::vector<int> owners) {
  ShardMap map;
  map.role_ = role;
  map.owners_ = std::move(owners);
  return map;
}

bool ShardMap::owns(Slot slot, std::uint32_t range) const {
  return slot.role == role_ && range < owners_.size() &&
         (is_direct_ || owners_[range] == slot.index);
}

std::vector<std::uint32_t> ShardMap::rangesOf(Slot slot) const {
  std::vector<std::uint32_t> ranges;
  for (std::uint32_t range = 0; range < owners_.size(); ++range) {
    if (owns(slot, range)) ranges.push_back(range);
  }
  return ranges;
}

std::int64_t ShardMap::valuesOf(Slot slot, const ExchangePlan& plan) const {
  std::int64_t values = 0;
  for (const std::uint32_t range : rangesOf(slot))
    values += plan.ranges.at(range).count;
  return values;
}

}  // namespace sumac
