#pragma once

#include <cstdint>

#include "engine/data/samples.h"

namespace sumac::worker {

/// Moves job::validationSamples() of the training samples to `images.validation`. The seed selects
/// them; both splits keep the order of the samples. A share of 0 moves none. Requires two training
/// samples or more.
void splitValidation(Images& images, double share, std::uint64_t seed);

}  // namespace sumac::worker
