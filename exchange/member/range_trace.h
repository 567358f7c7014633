#pragma once

#include <cstdint>
#include <vector>

#include "base/core/clock.h"
#include "base/core/step.h"
#include "base/trace/recorder.h"
#include "exchange/plan/range_run.h"

namespace sumac {

/// Follows the ranges of the newest step from contribution to sum, and records the two spans of
/// each when its sum is there: a push, from its contribution being there to the last message with
/// it being sent, which may have waited for credit; then a wait. Without a recorder each call is
/// one branch. Owned by one thread, the session's.
class RangeTrace {
 public:
  /// `plan` outlives us.
  explicit RangeTrace(const ExchangePlan& plan) : plan_(&plan) {}

  /// Null: nothing is recorded. The recorder outlives us.
  void recordTo(trace::Recorder* recorder);

  /// A contribution of `step` to a range is there.
  void ready(Step step, std::uint32_t range) {
    if (recorder_ != nullptr && recorder_->covers(step)) markReady(step, range);
  }
  /// A message with these ranges was sent.
  void sent(Step step, const RangeRun& run) {
    if (recorder_ != nullptr && recorder_->covers(step)) markSent(step, run);
  }
  /// The sum of a range has come.
  void arrived(Step step, std::uint32_t range) {
    if (recorder_ != nullptr && recorder_->covers(step)) markArrived(step, range);
  }

 private:
  struct Times {
    Step step = 0;
    TimePoint ready;
    TimePoint sent;  // last
  };

  void markReady(Step step, std::uint32_t range);
  void markSent(Step step, const RangeRun& run);
  void markArrived(Step step, std::uint32_t range);

  const ExchangePlan* plan_;
  trace::Recorder* recorder_ = nullptr;
  std::vector<Times> ranges_;  // by range; empty without a recorder
};

}  // namespace sumac
