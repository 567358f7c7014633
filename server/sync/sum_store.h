#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "common/base/result.h"
#include "common/base/step.h"
#include "common/plan/exchange_plan.h"
#include "server/store/range_sum.h"

namespace sumac::server {

/// The sums of all ranges that one server owns, and who is to hear of them.
///
/// A worker pushes s+1 only when it has all of s, so of each range only the step completed last and
/// the one after it can be asked for; the sum of s stays until s+1 is complete, as proof that
/// everyone has s. Owned by one thread.
class SumStore {
 public:
  /// Nothing is open. The references outlive us.
  SumStore(const ExchangePlan& plan, const KernelTable& kernels, Step start_step);
  SumStore(const SumStore&) = delete;  // its sums refer to its pool
  SumStore& operator=(const SumStore&) = delete;

  /// Takes a push of `worker`; returns the workers to whom the range's sum must be sent now, none
  /// while it is incomplete. A step that everyone has is ignored. Requires a range of the plan.
  ///
  /// Fails with kInvalid when the step cannot be open or the node does not fit.
  Result<std::vector<int>> push(int worker, Step step, std::uint32_t range, TreeNode node,
                                std::span<const float> values);

  /// Requires that push() named someone to send it to, and that nothing was pushed since.
  std::span<const float> sum(Step step, std::uint32_t range) const;

  /// A new connection of `worker`: what it was sent may be lost, so it is answered again.
  void forgetAnswers(int worker);

  /// A new generation: everything is summed again.
  void clear();

 private:
  struct Open {
    RangeSum sum;
    std::map<int, bool> answered;  // by contributor
  };
  struct PerRange {
    Step completed = 0;  // highest so far; never goes back
    std::map<Step, Open> open;
  };

  const ExchangePlan* plan_;
  const KernelTable* kernels_;
  Step start_step_;
  BufferPool pool_;
  std::vector<PerRange> ranges_;
};

}  // namespace sumac::server
