#pragma once

#include "common/base/clock.h"

namespace sumac::worker {

/// Returns when the steady clock has come to `due`, at once if it is past. An absolute time, so
/// that waits in a row do not add up their delays.
void waitUntil(TimePoint due);

/// The same, `seconds` from now.
void waitFor(double seconds);

/// Makes the waits of the calling thread as exact as the kernel can: by default it wakes threads up
/// to 50 us late to save power. Call it once.
void waitExactly();

}  // namespace sumac::worker
