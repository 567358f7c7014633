#include "exchange/membership/shard_map.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/core/check.h"

namespace sumac {
namespace {

/// So that what a worker sends in a stage is consecutive: the owners of the vector's halves differ
/// in the lowest bit of their positions, those of its quarters in the next.
std::vector<int> inOrderOfHalves(const std::vector<int>& indices) {
  std::vector<int> order{0};
  for (int step = static_cast<int>(indices.size()) / 2; step >= 1; step /= 2) {
    const std::size_t half = order.size();
    for (std::size_t i = 0; i < half; ++i)
      order.push_back(order[i] + step);
  }
  for (int& position : order)
    position = indices[static_cast<std::size_t>(position)];
  return order;
}

}  // namespace

ShardMap ShardMap::shareOut(ExchangeMethod method, const ExchangePlan& plan,
                            const std::vector<int>& indices) {
  SUMAC_CHECK(!indices.empty());
  const bool halves =
      method == ExchangeMethod::kHalvingDoubling && std::has_single_bit(indices.size());
  if (method == ExchangeMethod::kHalvingDoubling && !halves)
    method = ExchangeMethod::kScatterGather;
  const std::vector<int> ordered = halves ? inOrderOfHalves(indices) : indices;
  const auto count = static_cast<std::int64_t>(ordered.size());
  // A squared norm changes no other range's owner, so that along a ring the bits stay the same.
  const std::int64_t values = plan.values - plan.squares;
  std::vector<int> owners;
  for (const Range& range : plan.ranges) {
    // Doubled, so that a range's middle is a whole number.
    const std::int64_t middle = 2 * range.first + range.count;
    const std::int64_t owner = std::min(middle * count / (2 * values), count - 1);
    owners.push_back(ordered[static_cast<std::size_t>(owner)]);
  }
  return ofOwners(method, std::move(owners));
}

ShardMap ShardMap::ofOwners(ExchangeMethod method, std::vector<int> owners) {
  ShardMap map;
  map.method_ = isByOwners(method) ? ExchangeMethod::kScatterGather : method;
  map.owners_ = std::move(owners);
  if (map.isDirect()) std::ranges::fill(map.owners_, 0);
  return map;
}

bool ShardMap::owns(Slot slot, std::uint32_t range) const {
  return slot.role == role() && range < owners_.size() &&
         (isDirect() || owners_[range] == slot.index);
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
