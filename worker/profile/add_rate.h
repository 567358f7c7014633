#pragma once

#include <cstdint>

#include "base/core/clock.h"
#include "kernels/kernel_table.h"

namespace sumac::worker {

/// How many bytes a second this thread adds to a sum of the size of a message, 256 KiB, with these
/// kernels: the best of four to eight runs, no more than four after 2 ms. For a model of the
/// exchange (exchange/membership/method_choice.h), not for results: whatever else the machine does
/// shows in it.
std::uint64_t measuredAddRate(const KernelTable& kernels, const Clock& clock);

}  // namespace sumac::worker
