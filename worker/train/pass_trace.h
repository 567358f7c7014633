#pragma once

#include "base/core/clock.h"
#include "base/core/step.h"
#include "base/trace/recorder.h"
#include "engine/nn/engine.h"

namespace sumac::worker {

/// Records the two passes of one part's gradient, where its step is traced. Owned by the trainer's
/// thread.
class PassTrace final : public PassObserver {
 public:
  /// The forward pass begins. `recorder` outlives us; null: nothing is recorded.
  PassTrace(trace::Recorder* recorder, Step step, int part)
      : recorder_(recorder != nullptr && recorder->covers(step) ? recorder : nullptr),
        step_(step),
        part_(part) {
    if (recorder_ != nullptr) begun_ = recorder_->now();
  }

  /// Whom the engine tells; null: nobody.
  PassObserver* observer() { return recorder_ == nullptr ? nullptr : this; }

  void onLoss() override { loss_ = recorder_->now(); }

  /// The gradient is there.
  void end() {
    if (recorder_ == nullptr) return;
    recorder_->add({trace::Activity::kForward, step_, begun_, loss_, part_});
    recorder_->add({trace::Activity::kBackward, step_, loss_, recorder_->now(), part_});
  }

 private:
  trace::Recorder* recorder_;  // null: not this step
  Step step_;
  int part_;
  TimePoint begun_;
  TimePoint loss_;
};

}  // namespace sumac::worker
