#pragma once

#include "base/core/descriptor.h"
#include "base/core/result.h"

namespace sumac {

/// Makes a network namespace with nothing in it but a loopback device that is down. It has no name:
/// it and what is in it go when nobody has it open and no process is in it any more, however these
/// ended. The caller's thread stays where it is.
///
/// Fails with kUnavailable, and with what to do, where the rights or the kernel for it are missing.
Result<Descriptor> makeNetworkNamespace();

}  // namespace sumac
