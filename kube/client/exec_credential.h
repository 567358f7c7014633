#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/core/result.h"
#include "base/core/wall_time.h"
#include "kube/client/kubeconfig.h"

namespace sumac::kube {

/// What an exec plugin gave: a token, a client certificate with its key, or both.
struct ExecCredential {
  std::string token;
  std::string certificate;
  std::string key;
  std::optional<WallTime> expires;
};

/// KUBERNETES_EXEC_INFO: an ExecCredential of `exec`'s version that says whether a person is there
/// and, where the plugin asks for it, which cluster this is about. `ca` is its PEM text.
std::string execInfo(const ExecSpec& exec, const KubeconfigCluster& cluster, const std::string& ca,
                     bool is_interactive);

/// Reads what a plugin printed, as hostile: an ExecCredential of the version that was asked for.
/// Messages never show the output.
Result<ExecCredential> parseExecCredential(std::string_view output, const ExecSpec& exec);

}  // namespace sumac::kube
