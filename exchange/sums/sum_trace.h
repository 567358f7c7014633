#pragma once

#include <cstdint>
#include <vector>

#include "base/core/clock.h"
#include "base/core/step.h"
#include "base/trace/recorder.h"
#include "exchange/plan/exchange_plan.h"

namespace sumac {

/// Records how long a member takes to bring a range together: from the first contribution that
/// comes to it until it has all. Without a recorder each call is one branch. Owned by one thread,
/// the member's.
class SumTrace {
 public:
  /// Null: nothing is recorded. The recorder outlives us.
  void recordTo(trace::Recorder* recorder) { recorder_ = recorder; }
  /// Before the first contribution. `plan` outlives us.
  void start(const ExchangePlan& plan);

  /// A contribution to `range` was taken; with `is_last`, all have come.
  void contributed(Step step, std::uint32_t range, bool is_last) {
    if (recorder_ != nullptr && recorder_->covers(step)) mark(step, range, is_last);
  }

 private:
  /// At most three steps of a range are open at once (SumStore), or were a moment ago.
  static constexpr std::size_t kOpen = 4;
  struct Open {
    Step step = 0;
    TimePoint begun;
  };

  void mark(Step step, std::uint32_t range, bool is_last);

  trace::Recorder* recorder_ = nullptr;
  const ExchangePlan* plan_ = nullptr;
  std::vector<Open> open_;  // by range and step; empty without a recorder
};

}  // namespace sumac
