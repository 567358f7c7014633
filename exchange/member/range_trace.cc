#include "exchange/member/range_trace.h"

namespace sumac {

void RangeTrace::recordTo(trace::Recorder* recorder) {
  recorder_ = recorder;
  ranges_.assign(recorder == nullptr ? 0 : plan_->ranges.size(), Times());
}

void RangeTrace::markReady(Step step, std::uint32_t range) {
  const TimePoint now = recorder_->now();
  ranges_.at(range) = {step, now, now};
}

// What is left of the step before may be sent, too: that has its sums.
void RangeTrace::markSent(Step step, const RangeRun& run) {
  const TimePoint now = recorder_->now();
  for (std::uint32_t range = run.range; range < run.range + run.ranges; ++range) {
    Times& times = ranges_.at(range);
    if (times.step == step) times.sent = now;
  }
}

void RangeTrace::markArrived(Step step, std::uint32_t range) {
  const Times& times = ranges_.at(range);
  if (times.step != step) return;
  const auto bytes = static_cast<std::uint64_t>(plan_->ranges[range].count) * sizeof(float);
  const auto number = static_cast<std::int32_t>(range);
  const TimePoint now = recorder_->now();
  recorder_->add({trace::Activity::kPush, step, times.ready, times.sent, number, bytes});
  recorder_->add({trace::Activity::kWait, step, times.sent, now, number, bytes});
}

}  // namespace sumac
