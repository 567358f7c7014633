#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/core/result.h"
#include "engine/nn/engine.h"
#include "exchange/plan/exchange_plan.h"
#include "job/model/network.h"
#include "kernels/aligned_buffer.h"

namespace sumac::worker {

/// The part state of a whole job: recurrent state of every sample of the mini-batch and statistics
/// of every part, as they stand before the step that is computed. What stood before the step before
/// it is kept beside it, so that an open step can be computed again. Owned by the trainer's thread;
/// allocates only when it is made.
class PartStates {
 public:
  /// As before the first step: recurrent state and means zero, variances one.
  PartStates(const model::Network& network, const ExchangePlan& plan);

  /// Of one part, which holds `count` samples of the mini-batch from `first_sample` on.
  PartState of(int part, std::int64_t first_sample, std::int64_t count) const;

  std::span<const float> recurrent() const { return current().first(recurrent_); }
  std::span<const float> statistics() const { return current().subspan(recurrent_); }

  /// The step is done: takes the state after it from the sums. Requires ExchangePlan::values.
  void advance(std::span<const float> sums);

  /// A new pass over a text begins: nothing of the one before is remembered.
  void forgetRecurrent();

  /// Recurrent state and statistics together.
  std::span<const float> all() const { return current(); }
  /// Memory for those that another worker sends.
  std::span<float> room() { return buffers_[1 - current_].values(); }
  /// What has come into room() is the state from now on.
  void adopt() { current_ = 1 - current_; }

  /// From a checkpoint. Fails with kConflict when the sizes are not this job's.
  Result<void> restore(std::span<const float> recurrent, std::span<const float> statistics);

  /// What a network is evaluated with: the mean over all parts, formed in their order. Requires
  /// `mean` of Network::statistics.
  void meanStatistics(std::span<float> mean) const;

 private:
  std::span<const float> current() const { return buffers_[current_].values(); }
  std::span<float> current() { return buffers_[current_].values(); }

  std::size_t per_sample_;                // recurrent values
  std::size_t per_part_;                  // statistics
  std::size_t recurrent_;                 // of all samples
  std::size_t tail_at_;                   // where the state begins in the exchange vector
  std::size_t values_;                    // of the exchange vector
  std::array<AlignedBuffer, 2> buffers_;  // recurrent state, then statistics
  std::size_t current_ = 0;
};

}  // namespace sumac::worker
