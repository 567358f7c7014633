#pragma once

#include "common/base/slot.h"

namespace sumac {

/// A new process's incarnation: 64 random bits of the system, never 0. Call it once, at the start
/// of a process.
Incarnation newIncarnation();

}  // namespace sumac
