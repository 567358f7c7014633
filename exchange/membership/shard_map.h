#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/core/slot.h"
#include "exchange/plan/exchange_plan.h"

namespace sumac {

/// How contributions come together at those who sum.
enum class Reduction : std::uint8_t {
  kOwner,            // every worker sends a range's contributions to its owner
  kDirect,           // every worker sends all to all, and sums for itself
  kHalvingDoubling,  // pairs of workers add each other's halves, then pairs of pairs quarters...
  kRing,             // each worker adds its own to what the one before it sends, up to the owner
};

/// As spec.strategy.algorithm names it where workers sum: kOwner is "scatterGather".
std::string_view toString(Reduction reduction);

/// Who sums the contributions to each range, and how: what tells the strategies apart
/// (docs/design/exchange.md#strategies). A value type; the coordinator makes it, and it stands in
/// the roster. Who sends what to whom follows from both (routes.h).
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
  /// Workers add on the way to the owner. Halving requires that their number is a power of two.
  static ShardMap alongTheWay(Reduction reduction, const ExchangePlan& plan,
                              const std::vector<int>& indices);
  /// Of a roster: `owners` has the index of each range's owner.
  static ShardMap ofOwners(Role role, std::vector<int> owners,
                           Reduction reduction = Reduction::kOwner);

  Reduction reduction() const { return reduction_; }
  bool isDirect() const { return reduction_ == Reduction::kDirect; }
  /// The role of the owners.
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
  Reduction reduction_ = Reduction::kOwner;
  std::vector<int> owners_;
};

}  // namespace sumac
