#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "exchange/membership/roster.h"
#include "exchange/plan/part_tree.h"

namespace sumac {

/// The ways of a step's messages, as a roster's shard map has them: from each worker to the owner
/// of a range, over those who add on the way, and back with the sum
/// (docs/design/exchange.md#strategies). A value type; costs a few operations a question.
///
/// All questions are about a range of the shard map and a member of the roster.
class Routes {
 public:
  /// Nobody sends anything.
  Routes() = default;
  /// `parts`: the tree that sums follow.
  Routes(const Roster& roster, int parts);

  /// Whether `slot` adds contributions to `range`: all of them, or those of some workers.
  bool sums(Slot slot, std::uint32_t range) const;
  /// To whom `slot` passes on what it has added or, where it adds nothing, computed; the sum comes
  /// back the same way. None: the sum is complete there.
  std::optional<Slot> next(Slot slot, std::uint32_t range) const;

  /// Whether the contributions that `worker` computes go to `slot`.
  bool contributes(Slot worker, Slot slot, std::uint32_t range) const;
  /// Whether `slot` adds what `from` passes on, or has computed.
  bool takes(Slot slot, Slot from, std::uint32_t range) const;

  /// The parts of what `worker` passes on.
  TreeNode passed(Slot worker, std::uint32_t range) const;
  /// The parts of what `slot` takes from `from`: its own, or what that passes on. Requires takes().
  TreeNode taken(Slot slot, Slot from, std::uint32_t range) const {
    return slot == from ? block(from) : passed(from, range);
  }
  /// The parts that `worker` computes.
  TreeNode block(Slot worker) const;
  /// Of a ring: how many workers' contributions are in what `worker` passes on, from 1.
  int hop(Slot worker, std::uint32_t range) const;

  /// Whether two members send each other anything.
  bool areNeighbours(Slot a, Slot b) const;

  bool isRing() const { return shards_.method() == ExchangeMethod::kRing; }
  bool isDirect() const { return shards_.method() == ExchangeMethod::kDirect; }

 private:
  bool halves() const { return shards_.method() == ExchangeMethod::kHalvingDoubling; }
  int workers() const { return static_cast<int>(indices_.size()); }
  int position(Slot worker) const;
  Slot at(int position) const;
  int ownerPosition(std::uint32_t range) const;

  ShardMap shards_;
  int parts_ = 1;
  std::vector<int> indices_;    // of the workers, by position
  std::vector<int> positions_;  // by index; -1: not a member
};

}  // namespace sumac
