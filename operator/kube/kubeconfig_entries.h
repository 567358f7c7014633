#pragma once

#include "operator/kube/kubeconfig.h"
#include "operator/kube/kubeconfig_fields.h"

namespace sumac::kube {

/// `clusters[].cluster` and `users[].user` of a kubeconfig, checked; problems go to `fields`.
KubeconfigCluster readCluster(KubeconfigFields& fields);
KubeconfigUser readUser(KubeconfigFields& fields);

}  // namespace sumac::kube
