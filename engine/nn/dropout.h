#pragma once

#include <cstdint>

#include "job/model/network.h"
#include "kernels/kernel_table.h"

namespace sumac::worker {

/// Dropout of one layer in one step, for any layout: which values are dropped depends on (seed,
/// step, layer, sample) alone. `sample` and `first_value` of the result are left to the caller.
SumacDropout dropoutOf(const model::Dropout& spec, std::uint64_t seed, std::uint64_t step,
                       int layer);

}  // namespace sumac::worker
