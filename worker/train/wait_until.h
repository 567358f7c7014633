#pragma once

#include <chrono>

#include "base/core/clock.h"
#include "base/core/work_count.h"

namespace sumac::worker {

/// Returns when the steady clock has come to `due`, at once if it is past. An absolute time, so
/// that waits in a row do not add up their delays. The wait stands for work, which `work`, unless
/// null, counts every kCountEvery: nobody takes a long one for a hang.
void waitUntil(TimePoint due, WorkCount* work);

/// The same, `seconds` from now.
void waitFor(double seconds, WorkCount* work);

inline constexpr Duration kCountEvery = std::chrono::milliseconds(100);

/// Makes the waits of the calling thread as exact as the kernel can: by default it wakes threads up
/// to 50 us late to save power. Call it once.
void waitExactly();

}  // namespace sumac::worker
