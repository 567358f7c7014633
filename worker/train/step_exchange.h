#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/core/clock.h"
#include "base/core/step.h"
#include "base/trace/recorder.h"
#include "exchange/client/exchange_client.h"
#include "exchange/course/training_course.h"
#include "exchange/plan/exchange_plan.h"
#include "worker/train/compute.h"
#include "worker/train/final_ranges.h"
#include "worker/train/state.h"
#include "worker/train/step_gradient.h"

namespace sumac::worker {

/// Computes and exchanges steps, both at once: ranges of the contributions are sent while the
/// backward pass computes others, and where a step is left open, the forward pass of the next one
/// begins while its sums come. It waits for each layer's sums, updates these weights, and goes on.
/// No bit depends on that: each weight is updated once, from its whole sum, before it is read.
///
/// Nothing of a step is sent before the step before it is done. Where that turns out not to be
/// finished, or to be the last one, what was computed of the next is discarded.
///
/// Owned by the trainer's thread; no step allocates but the first ones.
class StepExchange final : private ContributionObserver, private WeightsGate {
 public:
  /// Takes the sums of a step, or why there are none.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// All sums of `step` are there and its update may be made, by TrainingState::endUpdate() if
    /// `is_updated`: its weights are there; or the step is not to be finished. In the middle of a
    /// backward pass: may neither use the engine nor the block.
    virtual Outcome onStep(Step step, const StepEvent& event, bool is_updated) = 0;
  };
  /// What the trainer has spent on sums.
  struct Seconds {
    double waited = 0;
    double updated = 0;  // weights, while others' sums were awaited
  };
  struct Options {
    const ExchangePlan& plan;  // outlives us
    Seconds& seconds;          // the same; grows
    const Clock& clock;        // outlives us
    float loss_scale = 1;
    std::size_t bucket_bytes = FinalRanges::kBucketBytes;
    trace::Recorder* recorder = nullptr;  // outlives us; null: nothing is traced
  };

  /// The references outlive us.
  StepExchange(ExchangeClient& exchange, StepGradient& block, TrainingState& state,
               const Compute& compute, const Options& options, Owner& owner);

  /// Computes and sends the contributions of `step`, after which the sums of the step before are
  /// applied if it was left open. Then waits for the sums, or leaves this step open: so do all, or
  /// none. kNotBegun: the step before is done, and the last one.
  Outcome run(Step step, bool leaves_open);
  /// Waits for the sums of the step that is open. Requires one.
  Outcome finish();

  /// Whether the sums of a step are awaited.
  bool isOpen() const { return open_ > 0; }

 private:
  void onFinal(std::size_t contribution, std::size_t first, std::size_t count) override;
  void await(std::size_t first, std::size_t count) override;
  void begin();
  std::optional<StepEvent> awaitBuffers(Step step);
  StepEvent awaitSum(Step step);
  double spent(trace::Activity activity, Step step, TimePoint begun, TimePoint done) const;
  Outcome beginAfter(const StepEvent& over);

  ExchangeClient& exchange_;  // outlives us
  StepGradient& block_;       // outlives us
  TrainingState& state_;      // outlives us
  Compute compute_;
  const Options options_;
  Owner& owner_;  // outlives us
  FinalRanges final_;

  // Of the step that is computed.
  Step step_ = 0;
  bool has_begun_ = false;
  Outcome before_ = Outcome::kDone;  // how the step before went

  // Of the step before it, where it was left open.
  Step open_ = 0;
  bool is_over_ = false;       // not to be finished
  std::vector<bool> applied_;  // by range
};

}  // namespace sumac::worker
