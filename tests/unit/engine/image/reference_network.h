#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "job/model/network.h"

namespace sumac::worker {

/// Of a training step; `statistics` empty: batchNorm takes the samples' own.
struct ReferencePass {
  bool training = true;
  std::uint64_t seed = 1;
  std::uint64_t step = 1;
  std::uint64_t first_sample = 0;
  std::span<const float> statistics = {};
};

/// Sum of the samples' losses in fp64, by loops that are the definitions: what the engine is held
/// against.
double referenceLoss(const model::Network& network, const std::vector<double>& weights,
                     std::span<const float> inputs, std::span<const std::int32_t> labels,
                     const ReferencePass& pass = {});

}  // namespace sumac::worker
