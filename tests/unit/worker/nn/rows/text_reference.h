#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/model/network.h"
#include "worker/nn/engine.h"

namespace sumac::worker {

/// What a text network is held against: fp64, sample by sample, by loops that are the definitions.
struct TextReference {
  double loss = 0;            // sum over samples and time steps
  std::vector<double> state;  // recurrent, after the last step
};

/// `seed` is dropout's; nothing is dropped without `is_training`.
TextReference textReference(const model::Network& network, const std::vector<double>& weights,
                            const Part& part, std::uint64_t seed, bool is_training);

}  // namespace sumac::worker
