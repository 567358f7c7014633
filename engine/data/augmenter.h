#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/data/samples.h"
#include "job/document/training_job.h"

namespace sumac::worker {

/// Changes training images at random: turns, mirrors, then moves them. What happens to an image is
/// a function of (seed, epoch, its number); all of it is integer arithmetic, so that the bits are
/// the same on every machine. What comes in from outside is black. Used by one thread; allocates
/// nothing after construction.
class Augmenter {
 public:
  /// Requires a shape of images, and a crop below its sides.
  Augmenter(const job::AugmentSpec& spec, const model::Shape& shape, std::uint64_t seed);

  using Pixels = std::span<const std::uint8_t>;

  /// Writes `image`, the number `index` of its data set, as it is in `epoch` to `changed`. Requires
  /// both to be of our shape.
  void change(Pixels image, std::int64_t epoch, std::int64_t index,
              std::span<std::uint8_t> changed);

 private:
  /// Turns by so many quarters of a degree.
  void turn(Pixels image, int quarters, std::span<std::uint8_t> turned) const;
  /// Mirrors where asked, and moves down and to the right.
  void move(Pixels image, bool is_flipped, int down, int right,
            std::span<std::uint8_t> moved) const;

  job::AugmentSpec spec_;
  int channels_;
  int rows_;
  int columns_;
  std::uint64_t seed_;
  std::vector<std::uint8_t> turned_;
};

}  // namespace sumac::worker
