#pragma once

#include <chrono>
#include <optional>

#include "base/core/clock.h"

namespace sumac {

/// How long the coordinator waits, as the job's run policy says. A value type.
struct WaitLimits {
  Duration join = std::chrono::seconds(600);       // for all members, from its start
  std::optional<Duration> stalled = std::nullopt;  // for a worker to get on; none: for ever
  // Where members change: before a slot whose processes are lost again and again is taken in.
  Duration flapping = std::chrono::seconds(60);
};

}  // namespace sumac
