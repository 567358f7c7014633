#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/model/network.h"

namespace sumac::worker {

/// Sum of the samples' losses in fp64, by loops that are the definitions: what the engine is held
/// against.
double referenceLoss(const model::Network& network, const std::vector<double>& weights,
                     std::span<const float> inputs, std::span<const std::int32_t> labels);

}  // namespace sumac::worker
