#pragma once

#include "base/core/result.h"

namespace sumac::cli {

/// Whether processes of this machine can reach each other over 127.0.0.1, by trying: members would
/// wait for each other without an end. Takes at most 5 s. Fails with kUnavailable and what to do.
Result<void> checkLoopback();

}  // namespace sumac::cli
