#include "exchange/sums/sum_trace.h"

namespace sumac {

void SumTrace::start(const ExchangePlan& plan) {
  plan_ = &plan;
  if (recorder_ != nullptr) open_.assign(plan.ranges.size() * kOpen, Open());
}

void SumTrace::mark(Step step, std::uint32_t range, bool is_last) {
  Open& open = open_.at(range * kOpen + static_cast<std::size_t>(step) % kOpen);
  const TimePoint now = recorder_->now();
  if (open.step != step) open = {step, now};
  if (!is_last) return;
  const auto bytes = static_cast<std::uint64_t>(plan_->ranges[range].count) * sizeof(float);
  recorder_->add(
      {trace::Activity::kSum, step, open.begun, now, static_cast<std::int32_t>(range), bytes});
}

}  // namespace sumac
