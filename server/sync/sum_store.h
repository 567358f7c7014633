#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "common/base/result.h"
#include "common/base/step.h"
#include "common/plan/exchange_plan.h"
#include "server/store/range_sum.h"

namespace sumac::server {

/// The sums of all ranges of one server, and who has contributed to them.
///
/// A worker pushes s+1 only when it has all sums of s, so of each range only the last complete step
/// and the next one can be needed; where each worker sums everything for itself, one may have s
/// before another has, so one step more. The sum of s is kept until s+1 is complete, which proves
/// that every worker has s. Owned by one thread.
class SumStore {
 public:
  /// Starts after `start_step` with no open sum. `ahead`: how many steps after the last complete
  /// one may be open. The references outlive us.
  SumStore(const ExchangePlan& plan, const KernelTable& kernels, Step start_step, int ahead = 1);
  SumStore(const SumStore&) = delete;
  SumStore& operator=(const SumStore&) = delete;

  /// A worker's contribution to one range.
  struct Push {
    int worker = 0;
    Step step = 0;
    std::uint32_t range = 0;
    TreeNode node;
    SharedValues values;
  };

  /// Adds a push and returns the workers that have contributed when this completes the range; none
  /// otherwise. Values that wait are not copied; sums go to `room`, from the value `place` on.
  /// Ignores a step that all workers have. Requires a range of the plan.
  ///
  /// Fails with kInvalid when the step cannot be open or the node does not fit.
  Result<std::vector<int>> push(Push push, SumRoom& room, std::size_t place = 0);
  /// Room for the sums that one message completes, of `size` values.
  SumRoom room(std::size_t size) { return {pool_, size}; }

  /// The sum of a range. Requires that the last push() returned workers for it.
  const SharedValues& sum(Step step, std::uint32_t range) const;

  /// The parts whose contributions to a range have not come, from left to right; none where the sum
  /// is complete, or no longer needed. Requires a range of the plan; any step.
  std::vector<TreeNode> missing(Step step, std::uint32_t range) const;

  /// A new generation: all sums start again.
  void clear();

 private:
  struct Open {
    RangeSum sum;
    std::vector<int> contributors;  // ascending
  };
  struct PerRange {
    Step completed = 0;  // highest so far; never goes back
    std::map<Step, Open> open;
  };

  const ExchangePlan* plan_;
  const KernelTable* kernels_;
  Step start_step_;
  int ahead_;
  BufferPool pool_;
  std::vector<PerRange> ranges_;
};

}  // namespace sumac::server
