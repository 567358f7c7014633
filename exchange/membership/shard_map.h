#pragma once

#include <cstdint>
#include <vector>

#include "base/core/slot.h"
#include "exchange/plan/exchange_plan.h"
#include "job/document/exchange_method.h"

namespace sumac {

/// Who sums the contributions to each range, and how: what tells the strategies apart
/// (docs/design/exchange.md#strategies). A value type; the coordinator makes it, and it stands in
/// the roster. Who sends what to whom follows from both (routes.h).
class ShardMap {
 public:
  /// Nobody sums anything.
  ShardMap() = default;

  /// The shard map of a job's first roster. `indices` are those of the servers, with kServers, or
  /// of all workers. Each owner gets consecutive ranges, within one range of the same number of
  /// values, and sends their sums to all workers; with kDirect every worker sums everything.
  /// kHalvingDoubling of another number than a power of two is kScatterGather, which has the same
  /// bits. Requires at least one index.
  static ShardMap shareOut(ExchangeMethod method, const ExchangePlan& plan,
                           const std::vector<int>& indices);
  /// Of a roster: `owners` has the index of each range's owner; only their number counts with
  /// kDirect.
  static ShardMap ofOwners(ExchangeMethod method, std::vector<int> owners);

  /// How contributions come to those who sum; kScatterGather of kDecentralized, which is the same.
  ExchangeMethod method() const { return method_; }
  bool isDirect() const { return method_ == ExchangeMethod::kDirect; }
  /// The role of the owners.
  Role role() const { return method_ == ExchangeMethod::kServers ? Role::kServer : Role::kWorker; }
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
  ExchangeMethod method_ = ExchangeMethod::kServers;
  std::vector<int> owners_;
};

}  // namespace sumac
