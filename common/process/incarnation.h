#pragma once

#include "common/base/slot.h"

namespace sumac {

/// A random number, 64 bits from the system, never 0: of this process as a member, or as a writer
/// of checkpoints. Call it once for each, when the process starts.
Incarnation newIncarnation();

}  // namespace sumac
