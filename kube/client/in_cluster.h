#pragma once

#include "base/core/result.h"
#include "base/log/log.h"
#include "kube/client/credentials.h"
#include "kube/client/environment.h"

namespace sumac::kube {

/// Whether we run in a pod that may find its API server.
bool isInCluster(const Environment& environment);

/// The API server of the cluster we run in, with the service account of our pod: token and CA are
/// read again as they are rotated. Requires isInCluster(). Fails where the pod has no service
/// account (automountServiceAccountToken: false).
Result<ClusterConfig> inClusterConfig(const Environment& environment, const Log& log);

}  // namespace sumac::kube
