#pragma once

#include <cstddef>
#include <vector>

#include "base/core/clock.h"
#include "engine/nn/engine.h"
#include "job/model/network.h"
#include "job/profile/job_profile.h"

namespace sumac::worker {

/// Times the layers of gradient passes, by what the engine says while it computes. Owned by the
/// engine's thread; both arguments outlive us.
///
/// Several passes, each from begin() on, are one sample: their times are added up until finish().
class LayerTimes final : public LayerObserver, public PassObserver, public GradientObserver {
 public:
  LayerTimes(const model::Network& network, const Clock& clock);

  /// A pass begins.
  void begin() { last_ = clock_.now(); }
  void onForward(std::size_t index) override;
  void onLoss() override;
  void onFinal(std::size_t first, std::size_t count) override;
  void onBackward(std::size_t index) override;

  /// All passes of one sample are over.
  void finish();

  /// Of `samples` samples of a batch: medians, for each layer that the engine computes, and
  /// for the loss. Requires a finish().
  std::vector<LayerProfile> layers(std::int64_t samples) const;

 private:
  /// What one layer took, in seconds.
  struct Times {
    double forward = 0;
    double input_gradient = 0;
    std::vector<double> tensors;  // of the layer
  };

  double lap();
  std::size_t tensorAt(std::size_t value) const;
  LayerProfile layerProfile(std::size_t index, std::int64_t samples) const;

  const model::Network& network_;
  const Clock& clock_;
  TimePoint last_{};                     // when something was over
  std::vector<Times> now_;               // of the sample under way, by layer
  std::vector<std::vector<Times>> all_;  // of those before
  std::vector<bool> is_computed_;        // by layer; others are computed with one of these
  std::vector<std::vector<std::size_t>> final_order_;  // by layer: its tensors, as they came last
};

}  // namespace sumac::worker
