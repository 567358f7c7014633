#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/core/clock.h"
#include "engine/nn/engine.h"
#include "job/model/network.h"
#include "job/profile/profile_use.h"
#include "kernels/aligned_buffer.h"

namespace sumac::worker {

/// Synthetic samples of one part, and where its gradient and state go.
struct SyntheticPart {
  std::int64_t first_sample = 0;
  std::int64_t count = 0;
  std::vector<float> inputs;
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> labels;
  std::vector<float> recurrent;
  std::vector<float> statistics;
  std::vector<float> next_recurrent;
  std::vector<float> next_statistics;
};

/// One worker's passes over its share of a mini-batch of synthetic samples. Owned by one thread.
class SyntheticPasses {
 public:
  /// `network` and `engine` outlive us.
  SyntheticPasses(const model::Network& network, Engine& engine, const Share& share);

  /// All parts once. `begin` is called before each call of the engine, which tells `passes` of the
  /// first part that it computes, `layers` too, and `gradients` of the last one.
  template <typename Begin>
  void run(PassObserver& passes, LayerObserver* layers, GradientObserver* gradients,
           const Begin& begin) {
    engine_.setWeights(weights_.values());
    const auto together = static_cast<std::size_t>(engine_.maxParts());
    for (std::span<PartGradient> left = parts_; !left.empty();) {
      const auto group = left.first(std::min(together, left.size()));
      group.front().target.passes = &passes;
      group.front().target.layers = layers;
      group.back().target.observer = gradients;
      begin();
      engine_.gradients(group, scale_);
      left = left.subspan(group.size());
    }
  }

  std::span<const float> gradient() const { return gradient_.values(); }
  std::span<float> weights() { return weights_.values(); }
  /// Of weights, gradient, samples and part state.
  std::uint64_t bytes() const;

 private:
  PartGradient gradientOf(SyntheticPart& data, Write write);

  Engine& engine_;  // outlives us
  float scale_;
  AlignedBuffer weights_;
  AlignedBuffer gradient_;
  std::vector<SyntheticPart> data_;
  std::vector<PartGradient> parts_;
};

/// Tells the two passes apart.
class PassTimes final : public PassObserver {
 public:
  explicit PassTimes(const Clock& clock) : clock_(clock) {}

  void begin() {
    end();
    begun_ = clock_.now();
    is_open_ = true;
  }
  void onLoss() override { loss_ = clock_.now(); }
  /// The call of the engine that began last is over.
  void end() {
    if (!is_open_) return;
    forward_ += secondsBetween(begun_, loss_);
    backward_ += secondsBetween(loss_, clock_.now());
    is_open_ = false;
  }
  /// The sums since the last time, in seconds.
  std::pair<double, double> take() {
    return {std::exchange(forward_, 0), std::exchange(backward_, 0)};
  }

 private:
  const Clock& clock_;  // outlives us
  TimePoint begun_{};
  TimePoint loss_{};
  bool is_open_ = false;
  double forward_ = 0;
  double backward_ = 0;
};

}  // namespace sumac::worker
