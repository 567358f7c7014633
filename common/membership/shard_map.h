#pragma once

#include <cstdint>
#include <vector>

#include "common/base/slot.h"
#include "common/plan/exchange_plan.h"

namespace sumac {

/// Who sums the contributions to each range: what tells the strategies apart
/// (docs/design/exchange.md#strategies). A value type; the coordinator makes it, and it stands in
/// the roster.
class ShardMap {
 public:
  /// Nobody sums anything.
  ShardMap() = default;

  /// Every range has one owner, which sends the sum to all workers: servers, or workers, which are
  /// the peers' servers then. Owners get consecutive ranges, within one range of the same number of
  /// values. Requires at least one owner.
  static ShardMap shareOut(const ExchangePlan& plan, Role role, const std::vector<int>& indices);
  /// Every worker gets all contributions and sums them for itself.
  static ShardMap direct(std::size_t ranges);
  /// Of a roster: `owners` has the index of each range's owner.
  static ShardMap ofOwners(Role role, std::vector<int> owners);

  bool isDirect() const { return is_direct_; }
  /// The role of those who sum.
  Role role() const { return role_; }
  std::size_t ranges() const { return owners_.size(); }
  /// Index of each range's owner; zeros where isDirect().
  const std::vector<int>& owners() const { return owners_; }

  bool owns(Slot slot, std::uint32_t range) const;
  /// The ids of the ranges that `slot` sums, ascending.
  std::vector<std::uint32_t> rangesOf(Slot slot) const;
  /// Values that `slot` sums.
  std::int64_t valuesOf(Slot slot, const ExchangePlan& plan) const;

  bool operator==(const ShardMap&) const = default;

 private:
  Role role_ = Role::kServer;
  bool is_direct_ = false;
  std::vector<int> owners_;
};

}  // namespace sumac
