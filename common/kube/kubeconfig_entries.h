#pragma once

#include "common/kube/kubeconfig.h"
#include "common/kube/kubeconfig_fields.h"

namespace sumac::kube {

/// `clusters[].cluster` and `users[].user` of a kubeconfig, checked; problems go to `fields`.
KubeconfigCluster readCluster(KubeconfigFields& fields);
KubeconfigUser readUser(KubeconfigFields& fields);

}  // namespace sumac::kube
