#pragma once

#include <cstdint>
#include <vector>

#include "engine/data/samples.h"

namespace sumac::worker {

/// What the mean and the deviation of each channel of images follow from, exactly.
struct PixelSums {
  std::vector<std::uint64_t> pixels;   // of each channel; below 2^56 pixels, so none overflows
  std::vector<std::uint64_t> squares;  // likewise

  void add(const PixelSums& other);
  /// Requires that they were added before.
  void remove(const PixelSums& other);
};

/// Those of samples, which are pixels.
PixelSums pixelSums(const Samples& samples);

/// Mean and standard deviation of each channel of `samples` images with these sums, as
/// meanAndDeviation() has them. Requires samples.
Normalization normalizationOf(const PixelSums& sums, const model::Shape& shape,
                              std::int64_t samples);

/// Mean and standard deviation of each channel of images, scaled to [0, 1], or of each feature of
/// vectors. The same bits on every machine: sums of pixels are of integers, those of values go from
/// the first sample to the last. Where all values are equal the deviation is 1, so that they become
/// zero. Requires samples.
Normalization meanAndDeviation(const Samples& samples);

}  // namespace sumac::worker
