#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/core/step.h"

namespace sumac::worker {

/// Which samples make up a part of a step: a pure function of (seed, samples, batch size, V), the
/// same in every worker. Each epoch is a permutation by (seed, epoch); samples that do not fill a
/// last batch are dropped. Caches the permutation of one epoch; indices() is for one thread and
/// allocates nothing.
class Sampler {
 public:
  /// Requires 1 <= parts <= batch_size <= samples.
  Sampler(std::uint64_t seed, std::int64_t samples, std::int64_t batch_size, int parts);

  std::int64_t stepsPerEpoch() const { return steps_per_epoch_; }
  /// The epoch of a step, from 0; steps count from 1.
  std::int64_t epochOf(Step step) const { return (step - 1) / steps_per_epoch_; }

  /// Indices of the samples of `part` of `step`: samples floor(pB/V) to floor((p+1)B/V) of the
  /// mini-batch. Valid until a step of another epoch is requested.
  std::span<const std::int64_t> indices(Step step, int part);

 private:
  void shuffle(std::int64_t epoch);

  std::uint64_t seed_;
  std::int64_t batch_size_;
  int parts_;
  std::int64_t steps_per_epoch_;
  std::int64_t shuffled_epoch_ = -1;
  std::vector<std::int64_t> permutation_;
};

}  // namespace sumac::worker
