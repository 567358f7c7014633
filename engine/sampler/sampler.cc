#include "engine/sampler/sampler.h"

#include <numeric>

#include "base/core/check.h"
#include "base/core/rng.h"

namespace sumac::worker {

Sampler::Sampler(std::uint64_t seed, std::int64_t samples, std::int64_t batch_size, int parts)
    : seed_(seed), batch_size_(batch_size), parts_(parts) {
  SUMAC_CHECK(1 <= parts && parts <= batch_size && batch_size <= samples, parts, batch_size,
              samples);
  steps_per_epoch_ = samples / batch_size;
  permutation_.resize(static_cast<std::size_t>(samples));
}

std::span<const std::int64_t> Sampler::indices(Step step, int part) {
  SUMAC_CHECK(step >= 1 && part >= 0 && part < parts_, step, part, parts_);
  if (const std::int64_t epoch = epochOf(step); epoch != shuffled_epoch_) shuffle(epoch);
  const std::int64_t first = (step - 1) % steps_per_epoch_ * batch_size_;
  const std::int64_t begin = part * batch_size_ / parts_;
  const std::int64_t end = (part + 1) * batch_size_ / parts_;
  return std::span(permutation_)
      .subspan(static_cast<std::size_t>(first + begin), static_cast<std::size_t>(end - begin));
}

// Fisher and Yates: the i-th draw decides the value at position i.
void Sampler::shuffle(std::int64_t epoch) {
  std::iota(permutation_.begin(), permutation_.end(), std::int64_t{0});
  const Rng rng(seed_, kShuffleStream + static_cast<std::uint64_t>(epoch));
  for (std::size_t i = permutation_.size() - 1; i > 0; --i) {
    std::swap(permutation_[i], permutation_[rng.below(i, i + 1)]);
  }
  shuffled_epoch_ = epoch;
}

}  // namespace sumac::worker
