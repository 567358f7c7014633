#pragma once

#include <memory>

#include "base/core/result.h"
#include "kube/client/credentials.h"
#include "kube/client/transport.h"

namespace sumac::kube {

/// Sets up what HTTP needs of the whole process: a small thread pool, no SIGPIPE. Call it first in
/// main, before any other thread; a second call does nothing.
void initialiseHttp();

/// The transport to one API server over HTTP and TLS, with connections of its own that are kept
/// open between requests: two transports cannot starve each other. Credentials leave the process
/// over TLS only. Fails with kInvalid on a server URL that cannot work, kUnavailable where
/// credentials cannot be read.
///
/// Its destruction ends what is under way; no call may be running then.
Result<std::unique_ptr<Transport>> makeTransport(const ClusterConfig& config);

}  // namespace sumac::kube
