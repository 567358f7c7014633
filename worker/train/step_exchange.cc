#include "worker/train/step_exchange.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace sumac::worker {

StepExchange::StepExchange(ExchangeClient& exchange, StepGradient& block, TrainingState& state,
                           const Compute& compute, const Options& options, Owner& owner)
    : exchange_(exchange),
      block_(block),
      state_(state),
      compute_(compute),
      options_(options),
      owner_(owner),
      final_(options.plan, options.bucket_bytes) {}

Outcome StepExchange::run(Step step, bool leaves_open) {
  step_ = step;
  has_begun_ = false;
  before_ = Outcome::kDone;
  if (const auto over = awaitBuffers(step)) return beginAfter(*over);
  const std::size_t contributions = block_.contributions(step).size();
  final_.begin(contributions);
  const bool is_open = isOpen();
  // Who has one bucket to send has nothing to send meanwhile.
  const bool is_watched = is_open || final_.areMany();
  block_.compute(step, is_open ? state_.nextWeights() : state_.weights(), state_.parts(),
                 options_.loss_scale,
                 {.observer = is_watched ? this : nullptr, .gate = is_open ? this : nullptr});
  if (!has_begun_) begin();
  if (before_ != Outcome::kDone) return before_;
  exchange_.announceRest();
  if (!leaves_open) return owner_.onStep(step, awaitSum(step), /*is_updated=*/false);
  open_ = step;
  is_over_ = false;
  applied_.assign(options_.plan.ranges.size(), false);
  state_.beginUpdate(step);
  return Outcome::kDone;
}

/// The step is not to be begun, as the wait for its buffers has said.
Outcome StepExchange::beginAfter(const StepEvent& over) {
  if (!isOpen()) return owner_.onStep(step_, over, /*is_updated=*/false);
  const Outcome before = finish();
  return before == Outcome::kDone ? Outcome::kNotBegun : before;
}

Outcome StepExchange::finish() {
  const Step step = open_;
  StepEvent event;
  // The last sums may come when it is known already that the step is not to be finished.
  do {
    is_over_ = false;
    await(0, static_cast<std::size_t>(options_.plan.values));
    event = awaitSum(step);
  } while (is_over_ && std::holds_alternative<Sum>(event));
  open_ = 0;
  if (!std::holds_alternative<Sum>(event)) state_.dropUpdate();
  return owner_.onStep(step, event, /*is_updated=*/true);
}

/// Before the first contribution is sent.
void StepExchange::begin() {
  has_begun_ = true;
  if (isOpen()) {
    before_ = finish();
    const StopOrder stop = exchange_.stopOrder();
    if (before_ == Outcome::kDone && stop.after && *stop.after < step_)
      before_ = Outcome::kNotBegun;
  }
  if (before_ == Outcome::kDone) exchange_.begin(step_, block_.contributions(step_));
}

void StepExchange::onFinal(std::size_t contribution, std::size_t first, std::size_t count) {
  if (!has_begun_) begin();
  if (before_ != Outcome::kDone) return;
  const auto bucket = final_.take(contribution, first, count);
  if (!bucket.empty()) exchange_.announce(bucket);
}

// Where the step is not to be finished the pass goes on with any weights, and is discarded.
void StepExchange::await(std::size_t first, std::size_t count) {
  const ExchangePlan& plan = options_.plan;
  const std::uint32_t end = plan.rangeAt(static_cast<std::int64_t>(first + count - 1)) + 1;
  for (std::uint32_t range = plan.rangeAt(static_cast<std::int64_t>(first));
       range < end && !is_over_;) {
    if (applied_[range]) {
      ++range;
      continue;
    }
    const auto stop = std::find(applied_.begin() + range, applied_.begin() + end, true);
    const TimePoint begun = options_.clock.now();
    const PartialSum came =
        exchange_.awaitRanges(open_, range, static_cast<std::uint32_t>(stop - applied_.begin()));
    const TimePoint come = options_.clock.now();
    options_.seconds.waited += spent(trace::Activity::kAwaitSums, open_, begun, come);
    is_over_ = came.ranges == 0;
    if (is_over_) return;
    const Range& last = plan.ranges[range + came.ranges - 1];
    const std::int64_t from = plan.ranges[range].first;
    state_.updateRange(static_cast<std::size_t>(from),
                       static_cast<std::size_t>(last.first + last.count - from), came.values,
                       compute_.pool);
    options_.seconds.updated += spent(trace::Activity::kUpdate, open_, come, options_.clock.now());
    std::fill_n(applied_.begin() + range, came.ranges, true);
    range += came.ranges;
  }
}

/// Where a step is open, the first sum of it, which whoever computes longest delays.
std::optional<StepEvent> StepExchange::awaitBuffers(Step step) {
  const TimePoint begun = options_.clock.now();
  auto over = exchange_.awaitBuffers(step);
  if (isOpen())
    options_.seconds.waited +=
        spent(trace::Activity::kAwaitSums, open_, begun, options_.clock.now());
  return over;
}

StepEvent StepExchange::awaitSum(Step step) {
  const TimePoint begun = options_.clock.now();
  StepEvent event = exchange_.awaitSum(step);
  options_.seconds.waited += spent(trace::Activity::kAwaitSums, step, begun, options_.clock.now());
  return event;
}

/// In seconds; recorded where the step is traced.
double StepExchange::spent(trace::Activity activity, Step step, TimePoint begun,
                           TimePoint done) const {
  trace::Recorder* const recorder = options_.recorder;
  if (recorder != nullptr && recorder->covers(step)) recorder->add({activity, step, begun, done});
  return secondsBetween(begun, done);
}

}  // namespace sumac::worker
