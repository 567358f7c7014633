#pragma once

#include <memory>
#include <string>

#include "base/log/log.h"
#include "kube/client/credentials.h"
#include "kube/client/environment.h"
#include "kube/client/exec_plugin.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/token_file.h"

namespace sumac::kube {

/// The credentials of one user for one cluster, from wherever its context says. Files are read
/// again for every new connection. Nothing is sent to a server without TLS.
class UserCredentials final : public Credentials {
 public:
  UserCredentials(KubeconfigCluster cluster, KubeconfigUser user, const Environment& environment,
                  const Log& log);

  Result<std::string> token() override;
  Result<TlsMaterial> tls() override;
  bool refresh() override;

  /// As tls(), without running a plugin: whether the files are there and hold PEM texts.
  Result<TlsMaterial> filesOnly() const;

 private:
  bool isSecret() const { return cluster_.server.starts_with("https://"); }

  const KubeconfigCluster cluster_;
  const KubeconfigUser user_;
  std::unique_ptr<TokenFile> token_file_;  // null: none
  std::unique_ptr<ExecPlugin> plugin_;     // null: none
};

}  // namespace sumac::kube
