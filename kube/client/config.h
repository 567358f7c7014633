#pragma once

#include <string>

#include "base/core/result.h"
#include "base/log/log.h"
#include "kube/client/credentials.h"
#include "kube/client/environment.h"

namespace sumac::kube {

/// What a command line says about the cluster; empty: not said.
struct ConfigOptions {
  std::string kubeconfig;  // --kubeconfig: a missing file is an error
  std::string context;
  std::string cluster;
  std::string user;
  std::string name_space;
};

/// Whether a namespace can be called so. Names become parts of paths: others are never sent.
bool isNamespaceName(const std::string& name);

/// Finds the cluster as kubectl does: --kubeconfig, $KUBECONFIG (a list; files are merged, the
/// first that names a thing wins), ~/.kube/config, and where these say nothing, the service account
/// of the pod we run in; and the proxy on the way (docs/design/kubernetes-client.md#credentials).
/// Fails with a message that names the file, the entry and what is allowed.
Result<ClusterConfig> loadConfig(const ConfigOptions& options, const Log& log);

/// The same for another environment than this process's.
Result<ClusterConfig> loadConfig(const ConfigOptions& options, const Environment& environment,
                                 const Log& log);

}  // namespace sumac::kube
