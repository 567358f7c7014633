#pragma once

#include "base/core/slot.h"

namespace sumac {

/// A random number, 64 bits from the system, never 0, that nobody else has: of this process as a
/// member, of a writer of checkpoints, of a run's folder. Call it once for each.
Incarnation newIncarnation();

}  // namespace sumac
