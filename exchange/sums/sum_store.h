#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/core/result.h"
#include "base/core/step.h"
#include "exchange/plan/exchange_plan.h"
#include "exchange/sums/range_sum.h"

namespace sumac {

/// What comes together at one member for a range.
struct Junction {
  TreeNode block;             // contributions to these parts
  bool has_carry = false;     // and, in a ring, the sum of the workers before
  bool adds_in_turn = false;  // in a ring: one sum, in the order of the workers
  bool is_last = true;        // all come together here; otherwise what has come is passed on

  bool operator==(const Junction&) const = default;
};

/// The sums of all ranges that one member adds, and who has contributed to them.
///
/// A worker pushes s+1 only when it has all sums of s, so of each range only the last complete step
/// and the next one can be needed; where each worker sums everything for itself, one may have s
/// before another has, so one step more. A sum is not kept here: the lanes keep what has not
/// arrived, and memory that comes back at once is still in the processor's cache when the next sum
/// is written to it. Owned by one thread.
class SumStore {
 public:
  /// Starts after `start_step` with no open sum. `junctions`: one for each range of the plan, those
  /// of ranges that others add unused. `ahead`: how many steps after the last complete one may be
  /// open. The references outlive us.
  SumStore(const ExchangePlan& plan, const KernelTable& kernels, Step start_step,
           std::vector<Junction> junctions, int ahead = 1);
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

  /// Adds a push; returns whether this brings together all that comes together here. Values that
  /// wait are not copied; sums go to `room`, from the value `place` on. Ignores a step that all
  /// workers have. Requires a range of the plan.
  ///
  /// Fails with kInvalid when the step cannot be open or the node does not fit.
  Result<bool> push(Push push, SumRoom& room, std::size_t place = 0);
  /// The same with the sum of the worker and those before it in a ring, which has no node.
  Result<bool> carry(Push push, SumRoom& room, std::size_t place = 0);
  /// Room for the sums that one message completes, of `size` values.
  SumRoom room(std::size_t size) { return {pool_, size}; }

  /// What came together: to be passed on, or, the last one's, the sum. Only once, after a push() or
  /// carry() of the step returned true.
  std::vector<NodeSum> takeCollected(Step step, std::uint32_t range);
  /// The workers that it came from, ascending: they get the sum. Requires the same.
  const std::vector<int>& contributors(Step step, std::uint32_t range) const;

  /// The sum of what was passed on has come. Fails with kInvalid when none is awaited.
  Result<void> finish(Step step, std::uint32_t range);
  /// Whether the sum of what was passed on has not come.
  bool awaitsSum(Step step, std::uint32_t range) const;

  /// The parts of the junction's block whose contributions have not come, from left to right; none
  /// where the block is complete, or no longer needed. Requires a range of the plan; any step.
  std::vector<TreeNode> missing(Step step, std::uint32_t range) const;
  /// Whether anything of it has come.
  bool isBegun(Step step, std::uint32_t range) const { return find(step, range) != nullptr; }
  /// Whether the sum of the workers before has not come, though something else has.
  bool lacksCarry(Step step, std::uint32_t range) const;

 private:
  struct Open {
    std::optional<RangeSum> sum;          // until it is taken
    std::optional<SharedValues> carry{};  // of the workers before
    std::optional<SharedValues> chain{};  // with our own
    std::vector<int> contributors{};      // ascending
    bool is_collected = false;
    bool is_finished = false;
  };
  struct PerRange {
    Step completed = 0;  // highest so far
    std::map<Step, Open> open;
  };

  Result<bool> isOpen(Step step, std::uint32_t range) const;
  const Open* find(Step step, std::uint32_t range) const;
  Open& openAt(Step step, std::uint32_t range);
  bool collect(Open& open, const Push& push, SumRoom& room, std::size_t place);
  SharedValues addInTurn(const Open& open, SumRoom& room, std::size_t place) const;
  void complete(Step step, std::uint32_t range);

  const ExchangePlan* plan_;
  const KernelTable* kernels_;
  Step start_step_;
  std::vector<Junction> junctions_;
  int ahead_;
  BufferPool pool_;
  std::vector<PerRange> ranges_;
};

}  // namespace sumac
