#pragma once

#include "common/base/slot.h"

namespace sumac {

/// A random incarnation for this process, 64 bits from the system, never 0. Call it once, when the
/// process starts.
Incarnation newIncarnation();

}  // namespace sumac
