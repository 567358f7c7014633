#pragma once

#include <cstdint>

namespace sumac {

/// One update of the parameters. Steps count from 1: step s turns the weights W_{s-1} into W_s, and
/// W_0 is the initial state. A checkpoint "of step s" holds W_s.
using Step = std::int64_t;

}  // namespace sumac
