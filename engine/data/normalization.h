#pragma once

#include "engine/data/samples.h"

namespace sumac::worker {

/// Mean and standard deviation of each channel of images, scaled to [0, 1], or of each feature of
/// vectors. The same bits on every machine: sums of pixels are of integers, those of values go from
/// the first sample to the last. Where all values are equal the deviation is 1, so that they become
/// zero. Requires samples.
Normalization meanAndDeviation(const Samples& samples);

}  // namespace sumac::worker
