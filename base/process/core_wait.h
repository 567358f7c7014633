#pragma once

namespace sumac {

/// How long the threads of this process that still live could have run and had no core, in seconds,
/// by the kernel's scheduler; 0 where it does not say. Steady work of others shows here, and in no
/// spread of times.
double secondsWithoutCore();

}  // namespace sumac
