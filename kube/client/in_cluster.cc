#include "kube/client/in_cluster.h"

#include <string>
#include <utility>

#include "base/core/file.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/token_file.h"
#include "kube/client/user_credentials.h"

namespace sumac::kube {
namespace {

constexpr const char* kHost = "KUBERNETES_SERVICE_HOST";
constexpr const char* kPort = "KUBERNETES_SERVICE_PORT";

/// cpprestsdk takes no IPv6 addresses in URLs; the API server's certificate is also for this name.
constexpr const char* kName = "kubernetes.default.svc";

std::string serverOf(const Environment& environment) {
  std::string host = environment.variable(kHost);
  if (host.find(':') != std::string::npos) host = kName;
  return "https://" + host + ":" + environment.variable(kPort);
}

std::string namespaceOf(const Environment& environment) {
  if (std::string name = environment.variable("POD_NAMESPACE"); !name.empty()) return name;
  constexpr std::uint64_t kMostBytes = 4096;
  const auto text = readTextFile(environment.service_account / "namespace", kMostBytes);
  if (!text) return {};
  return text->substr(0, text->find_first_of(" \t\r\n"));
}

}  // namespace

bool isInCluster(const Environment& environment) {
  return !environment.variable(kHost).empty() && !environment.variable(kPort).empty();
}

Result<ClusterConfig> inClusterConfig(const Environment& environment, const Log& log) {
  KubeconfigCluster cluster;
  cluster.name = "of this pod";
  cluster.server = serverOf(environment);
  cluster.ca.file = environment.service_account / "ca.crt";
  KubeconfigUser user;
  user.name = "service account";
  user.token_file = environment.service_account / "token";
  auto credentials =
      std::make_shared<UserCredentials>(std::move(cluster), std::move(user), environment, log);
  const std::string advice =
      "this pod's service account cannot be used (is automountServiceAccountToken false?)";
  if (const auto token = credentials->token(); !token) return token.error().within(advice);
  if (const auto tls = credentials->filesOnly(); !tls) return tls.error().within(advice);
  ClusterConfig config;
  config.server = serverOf(environment);
  config.name_space = namespaceOf(environment);
  config.credentials = std::move(credentials);
  return config;
}

}  // namespace sumac::kube
