#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "kube/client/environment.h"
#include "kube/client/exec_credential.h"
#include "kube/client/exec_process.h"

namespace sumac::kube {

/// Credentials from a program, as GKE's (client.authentication.k8s.io). What it gives is kept until
/// it expires, or until the server refuses it. One run at a time: other threads wait for it. Safe
/// from any thread; blocks for up to a minute.
class ExecPlugin {
 public:
  using Run = std::function<Result<std::string>(const ExecProcess&)>;

  /// `run`: in place of runProcess(), for tests.
  ExecPlugin(ExecSpec exec, KubeconfigCluster cluster, Environment environment, Run run = {});

  /// Fails with the name of the program, what went wrong, and its installHint where it is missing.
  /// `ca` is the cluster's, for plugins that ask for it.
  Result<ExecCredential> credential(const std::string& ca);

  /// The server refused what credential() gave. The next call runs the program again, unless the
  /// last run is only seconds old: then several threads were refused at once.
  void forget();

 private:
  Result<ExecCredential> obtain(const std::string& ca) const;
  Result<ExecProcess> processFor(const std::string& ca) const;

  // Fixed after construction.
  const ExecSpec exec_;
  const KubeconfigCluster cluster_;
  const Environment environment_;
  const Run run_;

  std::mutex mutex_;  // guards all below, also while the program runs
  std::optional<ExecCredential> kept_;
  TimePoint obtained_;
};

}  // namespace sumac::kube
